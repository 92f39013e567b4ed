import { expect, test, vi } from "vitest";
import { createSignUp, type SignUpResult } from "../../../functions/subscription-api/sign-ups/create-sign-up";
import { stopClock } from "../../support/api-in-process/clock";
import { signUpsInProcess } from "../../support/api-in-process/sign-ups";
import { refusal } from "../../support/api-in-process/stripe-model";
import { cheapPasswords } from "../../support/cheap-passwords";
import { validRequest } from "../../support/visitors/visitor";

/* A posted form × its sign-up so far × other sign-ups. */

const HOUR = 60 * 60_000;
const NOW = Date.parse("2026-11-22T12:00:00.000Z");
stopClock(NOW);

type Form = typeof validRequest;
const KEY = "a-key";

function forms() {
  const all = signUpsInProcess({ onePerPerson: true });
  const hashed: string[] = [];
  const passwords = {
    hash: (password: string) => {
      hashed.push(password);
      return cheapPasswords.hash(password);
    },
    verify: (password: string, stored: string) => {
      hashed.push(password);
      return cheapPasswords.verify(password, stored);
    },
    leave() {},
  };
  const post = (fields: Partial<Form> = {}, key = KEY): Promise<SignUpResult> =>
    createSignUp({ ...validRequest, ...fields }, key, { ...all.services, passwords });
  /** Posts, and fills in the card's form. */
  const enter = async (fields: Partial<Form> = {}, key = KEY, card = `card of ${key}`) => {
    const result = await post(fields, key);
    if (result.status !== "created") throw new Error(result.status);
    all.model.confirm(result.clientSecret.replace(/_secret_.*/, ""), card, false);
    return result;
  };
  const count = () => ({
    rows: all.rows("SELECT id FROM sign_ups").length,
    customers: all.model.all("customer").filter(({ deleted }) => !deleted).length,
    intents: all.model.all("setup_intent").length,
  });
  return { ...all, post, enter, hashed, count };
}

const ONE = { rows: 1, customers: 1, intents: 1 };

test("a form has one customer and one card's form at Stripe, and the answer has the latter's secret", async () => {
  const { post, rows, count, find, model } = forms();
  const result = await post();
  const [row] = rows("SELECT * FROM sign_ups");
  const signUp = await find(String(row?.id));
  const clientSecret = `${signUp.stripe_setup_intent_id}_secret_1`;
  expect(result).toEqual({ status: "created", clientSecret, signUp: expect.objectContaining({ id: signUp.id }) });
  expect(model.get(signUp.stripe_setup_intent_id)?.customer).toBe(signUp.stripe_customer_id);
  const { package_id, password: _, zipCode: zip_code, ...fields } = validRequest;
  expect(row).toMatchObject({ ...fields, package_id, zip_code, status: "pending", idempotency_key: KEY });
  expect(JSON.stringify(row)).not.toContain(validRequest.password);
  expect(count()).toEqual(ONE);
});

test("the same form again continues its sign-up; with another field or password the key is taken", async () => {
  const { post, count } = forms();
  const first = await post();
  expect(await post()).toEqual(first);
  for (const change of [{ city: "Boston" }, { password: "An0ther-one" }, { package_id: undefined }])
    expect(await post(change)).toEqual({ status: "key-reused" });
  expect(count()).toEqual(ONE);
});

test("each form costs one hash, whether or not its address or its key is known", async () => {
  const { post, enter, hashed } = forms();
  await enter();
  const costs: [SignUpResult["status"], Partial<Form>, string][] = [
    ["created", {}, KEY],
    ["created", { email: "new@example.com" }, "another"],
    ["duplicate", {}, "a-third"],
    ["key-reused", { city: "Boston" }, KEY],
    ["unknown-package", { package_id: "00000000-0000-4000-8000-000000000000" }, "a-fourth"],
  ];
  for (const [status, fields, key] of costs) {
    hashed.length = 0;
    expect((await post(fields, key)).status).toBe(status);
    expect(hashed).toHaveLength(status === "unknown-package" ? 0 : 1);
  }
});

test("a form whose card was set up unheard starts its trial when it is sent again", async () => {
  const { post, enter, rows } = forms();
  const { clientSecret } = await enter();
  expect(await post()).toMatchObject({ status: "created", clientSecret });
  expect(rows("SELECT status FROM sign_ups")).toEqual([{ status: "trialing" }]);
});

test("another open sign-up of the address is neither asked for at Stripe nor in the way; the claims decide at the card", async () => {
  const { post, instead, calls, rows } = forms();
  await post();
  calls.length = 0;
  instead.set("GET", refusal(500, "api_error", "api_error"));
  expect((await post({}, "another")).status).toBe("created");
  expect(calls).toEqual(["POST customers", "POST setup_intents"]);
  expect(rows("SELECT status FROM sign_ups")).toEqual([{ status: "pending" }, { status: "pending" }]);
});

test("an address that has or had a trial is a duplicate, and Stripe is not asked", async () => {
  const { post, enter, calls, rows } = forms();
  await enter();
  await post();
  calls.length = 0;
  expect(await post({}, "another")).toEqual({ status: "duplicate" });
  rows("UPDATE sign_ups SET status = 'canceled'");
  expect([await post({}, "another"), await post()]).toEqual([{ status: "duplicate" }, { status: "duplicate" }]);
  rows("DELETE FROM sign_ups");
  expect(await post({}, "another")).toEqual({ status: "duplicate" });
  expect(calls).toEqual([]);
});

test("an address that Stripe refuses leaves nothing", async () => {
  const { post, instead, count } = forms();
  instead.set("POST customers", refusal(400, "email_invalid"));
  expect(await post()).toEqual({ status: "email-refused" });
  expect(count()).toEqual({ rows: 0, customers: 0, intents: 0 });
});

test("after its sign-up has ended the same form begins another one", async () => {
  const { post, count, rows } = forms();
  await post();
  rows("UPDATE sign_ups SET declined_cards = 5");
  expect(await post()).toEqual({ status: "ended" });
  expect((await post()).status).toBe("created");
  expect(rows("SELECT status FROM sign_ups ORDER BY status")).toEqual([{ status: "ended" }, { status: "pending" }]);
  expect(count()).toMatchObject({ customers: 1 });
});

test.each([
  ["continues its sign-up", "23 hours and 54 minutes", 24 * HOUR - 6 * 60_000, ["created"]],
  ["ends it, and then begins another", "23 hours and 55 minutes", 24 * HOUR - 5 * 60_000, ["ended", "created"]],
])("the same form %s after %s", async (_, __, age, statuses) => {
  const { post, rows, count } = forms();
  await post();
  const [before] = rows("SELECT id FROM sign_ups");
  vi.setSystemTime(NOW + age);
  const found: string[] = [];
  for (const _one of statuses) found.push((await post()).status);
  expect(found).toEqual(statuses);
  expect(rows("SELECT id FROM sign_ups")[0]?.id === before?.id).toBe(statuses.length === 1);
  expect(count()).toMatchObject({ rows: 1, customers: 1 });
});

test("a form whose place among the passwords has ended is stored nowhere", async () => {
  const { services, count, calls } = forms();
  const passwords = { hash: async () => undefined, verify: async () => undefined, leave() {} };
  expect(await createSignUp(validRequest, KEY, { ...services, passwords })).toEqual({ status: "busy" });
  expect([count(), calls]).toEqual([{ rows: 0, customers: 0, intents: 0 }, []]);
});
