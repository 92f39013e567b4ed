import { expect, test } from "vitest";
import { erasePerson, exportPerson } from "../../../../functions/subscription-api/operator/export-and-erase";
import { advanceToNotMe } from "../../../../functions/subscription-api/sign-ups/transitions/advance";
import { refusal } from "../../../support/api-in-process/stripe-objects";
import { stopClock } from "../../../support/clock";
import { validRequest } from "../../../support/person";
import { signUpsInProcess } from "../sign-ups/sign-ups";

stopClock();

const { email: EMAIL } = validRequest;

test.each([
  { here: EMAIL, atStripe: EMAIL, isFound: true },
  { here: EMAIL, atStripe: "newer@example.com", isFound: true },
  { here: "older@example.com", atStripe: EMAIL, isFound: true },
  { here: "older@example.com", atStripe: "newer@example.com", isFound: false },
  { here: undefined, atStripe: EMAIL, isFound: true },
])("whose address is $here here and $atStripe at Stripe is found, and erased in both: $isFound", async (row) => {
  const { here, atStripe, isFound } = row;
  const api = signUpsInProcess();
  const signUp = await api.onTrial({ email: here ?? EMAIL });
  const customer = api.model.get(signUp.stripe_customer_id);
  Object.assign(customer ?? {}, { email: atStripe });
  if (here === undefined) api.rows("DELETE FROM sign_ups");
  const [signUps, customers] = [isFound && here !== undefined ? 1 : 0, isFound ? 1 : 0];
  expect((await exportPerson(EMAIL, api.services)).signUps).toHaveLength(signUps);
  expect(await erasePerson(EMAIL, api.services)).toEqual({ status: "erased", signUps, customers });
  expect(customer?.deleted ?? false).toBe(isFound);
  const subscription = api.model.get(signUp.stripe_subscription_id);
  expect(subscription?.status).toBe(isFound ? "canceled" : "trialing");
});

test("erasing leaves nothing of a person's sign-ups here and at Stripe but a trial's keyed hashes, and all of others", async () => {
  const api = signUpsInProcess({ onePerPerson: true });
  const { rows, model, find } = api;
  const other = await api.pending({ email: "somebody@else.example" });
  const signUps = [
    await api.unknownToStripe(),
    await api.pending(),
    await api.onTrial(),
    await api.pending({}, "status = 'ended', end_reason = 'cards-failed'"),
  ];
  const hashes = rows("SELECT hash FROM trial_claims ORDER BY hash");
  expect(hashes).not.toEqual([]);
  expect(await erasePerson(EMAIL, api.services)).toEqual({ status: "erased", signUps: 4, customers: 3 });
  const tables = rows("SELECT name FROM sqlite_schema WHERE type = 'table'");
  const everything = JSON.stringify(tables.map(({ name }) => rows(`SELECT * FROM "${name}"`)));
  expect(everything).not.toMatch(new RegExp([...signUps.map(({ id }) => id), EMAIL].join("|")));
  expect(rows("SELECT hash FROM trial_claims ORDER BY hash")).toEqual(hashes);
  const customers = model.all("customer").filter(({ deleted }) => !deleted);
  expect(customers.map(({ id }) => id)).toEqual([other.stripe_customer_id]);
  const open = model.all("setup_intent").filter(({ status }) => status === "requires_payment_method");
  expect(open.map(({ id }) => id)).toEqual([other.stripe_setup_intent_id]);
  expect(await find(other.id)).toEqual(other);
});

test.each([
  { hasConsole: true, closed: "sent", reported: "due", waitsFor: ["not-me-reported"] },
  { hasConsole: true, closed: "due", reported: "sent", waitsFor: ["account-closed"] },
  { hasConsole: true, closed: "dead", reported: "dead", waitsFor: ["account-closed", "not-me-reported"] },
  { hasConsole: false, closed: "due", reported: "sent", waitsFor: [] },
  { hasConsole: false, closed: "dead", reported: "sent", waitsFor: ["account-closed"] },
])("erasing waits for $waitsFor if account-closed is $closed, a report $reported, console $hasConsole", async (row) => {
  const { hasConsole, closed, reported, waitsFor } = row;
  const api = signUpsInProcess();
  const signUp = await api.change((await api.onTrial()).id, "email_verified_at = created_at");
  await advanceToNotMe(signUp, api.services);
  api.rows("UPDATE outbox SET state = iif(kind = 'account-closed', ?, ?)", closed, reported);
  const services = hasConsole ? api.services : { ...api.services, accountWebhook: undefined };
  const waits = waitsFor.length > 0;
  const outcome = waits ? { status: "waiting", waitsFor } : { status: "erased" };
  expect(await erasePerson(EMAIL, services)).toMatchObject(outcome);
  expect(api.model.get(signUp.stripe_customer_id)?.deleted ?? false).toBe(!waits);
});

test("a report that arrives during an erasure is kept until support has it", async () => {
  const api = signUpsInProcess();
  const signUp = await api.change((await api.onTrial()).id, "email_verified_at = created_at");
  api.before("DELETE customers", () => advanceToNotMe(signUp, api.services));
  const waitsFor = ["account-closed", "not-me-reported"];
  expect(await erasePerson(EMAIL, api.services)).toEqual({ status: "waiting", waitsFor });
  expect(api.rows("SELECT kind FROM outbox WHERE kind = 'not-me-reported'")).toHaveLength(1);
});

test("a person is not erased while Stripe processes their card or fails to delete them, but by a later try", async () => {
  const api = signUpsInProcess();
  const signUp = await api.pending();
  const intent = Object.assign(api.model.get(signUp.stripe_setup_intent_id) ?? {}, { status: "processing" });
  await expect(erasePerson(EMAIL, api.services)).rejects.toMatchObject({ reason: "in-progress" });
  Object.assign(intent, { status: "requires_payment_method" });
  api.instead.set("DELETE customers", refusal(500, "", "api_error"));
  await expect(erasePerson(EMAIL, api.services)).rejects.toMatchObject({ reason: "unavailable" });
  expect(await api.find(signUp.id)).toEqual(signUp);
  api.instead.clear();
  expect(await erasePerson(EMAIL, api.services)).toEqual({ status: "erased", signUps: 1, customers: 1 });
  expect(api.model.get(signUp.stripe_customer_id)?.deleted).toBe(true);
});

test("a sign-up that the person begins during an erasure keeps its customer", async () => {
  const api = signUpsInProcess();
  await api.pending();
  api.before("DELETE customers", () => api.pending());
  expect(await erasePerson(EMAIL, api.services)).toMatchObject({ status: "erased", signUps: 1 });
  const customers = api.rows("SELECT stripe_customer_id FROM sign_ups");
  expect(customers.map((row) => api.model.get(String(row.stripe_customer_id))?.deleted)).toEqual([undefined]);
});
