import { expect, test } from "vitest";
import { LOCAL_SECRETS } from "../../../../functions/subscription-api/local-development";
import { signUpsInProcess } from "../../../support/api-in-process/sign-ups";

/** An operator who gives commands about a person. */
function operating() {
  const world = signUpsInProcess({ onePerPerson: true });
  const headers = { authorization: `Bearer ${LOCAL_SECRETS.OPERATOR_TOKEN}`, "content-type": "application/json" };
  const command = async (name: "export" | "erase", email: string) =>
    (await world.ask(`/operator/${name}`, { method: "POST", headers, body: JSON.stringify({ email }) })).json();
  return { ...world, command };
}

test("the export has everything stored about a person except the password hash [F4]", async () => {
  const { pending, onTrial, command } = operating();
  const email = "export@example.com";
  await pending({ email, city: "Boston" });
  await onTrial({ email });
  const found = await command("export", " Export@Example.com");
  expect(found).toMatchObject({
    email,
    signUps: [
      { status: "pending", city: "Boston", messages: [] },
      {
        status: "trialing",
        full_name: "Ada Lovelace",
        phone: "2125550123",
        stripe_customer_id: expect.stringMatching(/^customer_/),
        messages: [{ kind: "trial-started" }, { kind: "account-created" }, { kind: "trial-ending" }],
      },
    ],
  });
  expect(JSON.stringify(found)).not.toContain("hash");
});

test("erasing a person deletes them at Stripe, then here with all messages; repeating it does nothing [F4] [F6]", async () => {
  const { onTrial, command, rows, model, logged } = operating();
  const { email, stripe_customer_id } = await onTrial();
  expect(await command("erase", email)).toEqual({ erased: 1, customers: 1 });
  expect([rows("SELECT id FROM sign_ups"), rows("SELECT key FROM outbox")]).toEqual([[], []]);
  expect(model.get(stripe_customer_id)).toMatchObject({ deleted: true });
  expect(model.all("subscription")).toMatchObject([{ status: "canceled" }]);
  expect(await command("erase", email)).toEqual({ erased: 0, customers: 0 });
  expect(logged).toContainEqual(expect.objectContaining({ event: "person_erased" }));
  expect(JSON.stringify(logged)).not.toMatch(/@|Lovelace/);
});

test("erasing a person during sign-up prevents any card set-up, and the address can sign up again [F4]", async () => {
  const { pending, command, model } = operating();
  const { email, stripe_setup_intent_id } = await pending();
  await command("erase", email);
  expect(model.get(stripe_setup_intent_id)).toMatchObject({ status: "canceled" });
});

test("erasing also deletes the customer created meanwhile, and no customer of another service", async () => {
  const { pending, command, rows, model } = operating();
  const { email, stripe_customer_id: ours } = await pending();
  rows("DELETE FROM sign_ups");
  const theirs = model.request("POST", new URL("https://api.stripe.com/v1/customers"), `email=${email}`, "theirs");
  await command("erase", email);
  expect(model.get(ours)).toMatchObject({ deleted: true });
  expect(model.get(JSON.parse(theirs.text).id)?.deleted).toBeUndefined();
});

test("erasing works even if Stripe does not know the setup intent", async () => {
  const { pending, command, change, rows } = operating();
  const { id, email } = await pending();
  await change(id, "stripe_setup_intent_id = 'seti_unknown'");
  expect(await command("erase", email)).toEqual({ erased: 1, customers: 1 });
  expect(rows("SELECT id FROM sign_ups")).toEqual([]);
});

test("after erasing, two hashes remain that identify nobody and refuse another trial for the mailbox and the card [H10]", async () => {
  const { onTrial, pending, enterCard, command, rows, ask, services, find, settled } = operating();
  const { id } = await onTrial({ email: "forget.me@gmail.com" }, "a card");
  const claims = rows("SELECT hash FROM trial_claims WHERE sign_up_id = ?", id);
  expect(claims).toHaveLength(2);
  await command("erase", "forget.me@gmail.com");
  expect(rows("SELECT hash, sign_up_id FROM trial_claims")).toEqual(
    claims.map(({ hash }) => ({ hash, sign_up_id: null })),
  );
  for (const table of ["sign_ups", "outbox", "stripe_events", "sign_up_counts", "trial_claims"])
    expect(JSON.stringify(rows(`SELECT * FROM ${table}`))).not.toMatch(/forget\.?me/);

  const other = await pending({ email: "somebody@example.com" });
  enterCard(other, "a card");
  await ask(await services.links.urlOf("status", other.id, new Date(Date.now() + 60_000)));
  expect(await find(other.id)).toMatchObject({ status: "pending", used_cards: 1 });
  const claim = services.claims.emailsOf("forgetme+new@googlemail.com");
  expect(await services.signUps.hasHadTrial("forgetme+new@googlemail.com", claim)).toBe(true);
  await settled();
});
