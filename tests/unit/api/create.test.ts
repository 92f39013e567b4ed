import { expect, test, vi } from "vitest";
import { createSignUp, type SignUpResult } from "../../../functions/subscription-api/sign-ups/create-sign-up";
import { stopClock } from "../../support/api-in-process/clock";
import { signUpsInProcess } from "../../support/api-in-process/sign-ups";
import { refusal } from "../../support/api-in-process/stripe-model";
import { validRequest } from "../../support/visitors/visitor";
import { SITUATIONS, TRIGGERS } from "./situations";

/* A posted form × its sign-up so far × other sign-ups. */

const HOUR = 60 * 60_000;
const NOW = Date.parse("2026-11-22T12:00:00.000Z");
stopClock(NOW);

type Form = typeof validRequest;
const KEY = "a-key";

function forms() {
  const api = signUpsInProcess({ onePerPerson: true });
  const post = (fields: Partial<Form> = {}, key = KEY): Promise<SignUpResult> =>
    createSignUp({ ...validRequest, ...fields }, key, api.services);
  const count = () => ({
    rows: api.rows("SELECT id FROM sign_ups").length,
    customers: api.model.all("customer").filter(({ deleted }) => !deleted).length,
    intents: api.model.all("setup_intent").length,
  });
  return { ...api, post, count };
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
  const { post, count, model } = forms();
  const first = await post();
  expect(await post()).toEqual(first);
  for (const change of [{ city: "Boston" }, { password: "An0ther-one" }, { package_id: undefined }])
    expect(await post(change)).toEqual({ status: "key-reused" });
  expect(count()).toEqual(ONE);
  model.confirm(model.all("setup_intent")[0]?.id ?? "", "a card", false);
  expect(await post()).toMatchObject({ status: "created", signUp: { status: "trialing" } });
});

test.each<[SignUpResult["status"], Partial<Form>, key: string, hashes: number]>([
  ["created", {}, KEY, 1],
  ["created", { email: "new@example.com" }, "another", 1],
  ["duplicate", { email: "had@trial.example" }, "another", 1],
  ["key-reused", { city: "Boston" }, KEY, 1],
  ["key-reused", { password: "An0ther-one" }, KEY, 1],
  ["unknown-package", { package_id: "00000000-0000-4000-8000-000000000000" }, "another", 0],
])("a form that is %s costs one hash, so that its time tells nothing: %o", async (status, fields, key, hashes) => {
  const { services, post, onTrial } = forms();
  await onTrial({ email: "had@trial.example" });
  await post();
  const [hash, verify] = [vi.spyOn(services.passwords, "hash"), vi.spyOn(services.passwords, "verify")];
  expect((await post(fields, key)).status).toBe(status);
  expect(hash.mock.calls.length + verify.mock.calls.length).toBe(hashes);
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
  const { post, onTrial, calls, rows } = forms();
  await onTrial();
  rows("UPDATE sign_ups SET idempotency_key = ?", KEY);
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
  ["continues its sign-up", "almost 23 hours and 55 minutes", 24 * HOUR - 5 * 60_000 - 1, ["created"]],
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

const TRIAL = { status: "trial", trial_end: "2026-11-27T12:00:00.000Z" };

test.each<[situation: string, told: object]>([
  ["pending, a card's form", { status: "pending" }],
  [
    "pending, a card that had a trial",
    { status: "card_used", client_secret: expect.stringMatching(/^seti_\w+_secret_1$/) },
  ],
  ["pending after five declined cards, a card", { status: "ended" }],
  ["card_set_up, a card", TRIAL],
  ["active, paid", TRIAL],
  ["past_due, unpaid", TRIAL],
  ["canceled, canceled", { status: "ended" }],
])("the status of a sign-up that is %s: %o", async (situation, told) => {
  const api = signUpsInProcess({ onePerPerson: true });
  const signUp = await SITUATIONS[situation]?.(api);
  expect(await TRIGGERS.status?.(api, signUp ?? (await api.pending()))).toEqual(told);
});
