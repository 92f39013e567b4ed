import { expect, test, vi } from "vitest";
import { MAX_FAILED_CARDS } from "../../../../app/contract/trial";
import { createSignUp, type SignUpResult } from "../../../../functions/subscription-api/sign-ups/create-sign-up";
import { HOUR, MINUTE } from "../../../support/api-in-process/scheduler";
import { NOW, stopClock } from "../../../support/clock";
import { validRequest } from "../../../support/person";
import { signUpsInProcess } from "./sign-ups";
import { postedForm } from "./situations";

stopClock();

const KEY = "a-key";
type Fields = Partial<typeof validRequest>;

function forms() {
  const api = signUpsInProcess({ onePerPerson: true });
  const post = (fields: Fields = {}, key = KEY) =>
    createSignUp(postedForm({ ...validRequest, ...fields }, key), api.services);
  const count = () => ({
    rows: api.rows("SELECT id FROM sign_ups").length,
    customers: api.model.all("customer").filter(({ deleted }) => !deleted).length,
    intents: api.model.all("setup_intent").length,
  });
  return { ...api, post, count };
}

test("a form has one customer and one card's form at Stripe, whose secret is the answer, also the second time", async () => {
  const { post, rows, count, model } = forms();
  const result = await post();
  const [row] = rows("SELECT * FROM sign_ups");
  const clientSecret = `${row?.stripe_setup_intent_id}_secret_1`;
  expect(result).toEqual({ status: "created", clientSecret, signUp: expect.objectContaining({ id: row?.id }) });
  expect(model.get(String(row?.stripe_setup_intent_id))?.customer).toBe(row?.stripe_customer_id);
  const { password, zipCode: zip_code, ...fields } = validRequest;
  expect(row).toMatchObject({ ...fields, zip_code, status: "pending", idempotency_key: KEY });
  expect(JSON.stringify(row)).not.toContain(password);
  expect(await post()).toEqual(result);
  expect(count()).toEqual({ rows: 1, customers: 1, intents: 1 });
  model.confirm(String(row?.stripe_setup_intent_id), "a card", false);
  expect(await post()).toMatchObject({ status: "created", signUp: { status: "trialing" } });
});

test.each<{ status: SignUpResult["status"]; fields?: Fields; key?: string; hashes?: number; rows?: number }>([
  { status: "created" },
  { status: "created", key: "another", rows: 2 },
  { status: "created", key: "another", fields: { email: "new@example.com" }, rows: 2 },
  { status: "duplicate", key: "another", fields: { email: "had@trial.example" } },
  { status: "key-reused", fields: { city: "Boston" } },
  { status: "key-reused", fields: { password: "An0ther-one" } },
  { status: "unknown-package", key: "another", fields: { package_id: crypto.randomUUID() }, hashes: 0 },
])("timing reveals no email: a form that is $status ($fields, key $key) costs $hashes password hashes", async (row) => {
  const { status, fields, key, hashes = 1, rows: all = 1 } = row;
  const { services, post, onTrial, count, rows, calls } = forms();
  await onTrial({ email: "had@trial.example" });
  rows("DELETE FROM sign_ups");
  await post();
  calls.length = 0;
  const [hash, verify] = [vi.spyOn(services.passwords, "hash"), vi.spyOn(services.passwords, "verify")];
  expect((await post(fields, key)).status).toBe(status);
  expect(hash.mock.calls.length + verify.mock.calls.length).toBe(hashes);
  expect(count()).toEqual({ rows: all, customers: all + 1, intents: all + 1 });
  expect(calls.length > 0, "asks Stripe").toBe(status === "created");
});

test("a form whose password is not hashed in time stores nothing", async () => {
  const { services, post, count, calls } = forms();
  services.passwords.hash = async () => undefined;
  expect(await post()).toEqual({ status: "busy" });
  expect({ ...count(), calls }).toEqual({ rows: 0, customers: 0, intents: 0, calls: [] });
});

const PAST = 24 * HOUR - 5 * MINUTE;
const OPEN = `declined_cards = ${MAX_FAILED_CARDS - 1}`;
const TRIAL = "status = 'trialing', trial_end = '2026-11-27T12:00:00.000Z'";
const LAST_CARD = `declined_cards = ${MAX_FAILED_CARDS}`;

test.each([
  { what: "continues its sign-up before 23 hours and 55 minutes", age: PAST - 1, columns: OPEN, told: ["created"] },
  { what: "ends it and then begins another after that", age: PAST, columns: OPEN, told: ["ended", "created"] },
  { what: "ends it after its last card", age: 0, columns: LAST_CARD, told: ["ended", "created"], kept: ["ended"] },
  { what: "continues its trial before that time", age: PAST - 1, columns: TRIAL, told: ["created"], is: "trialing" },
  { what: "is a duplicate of its trial after it", age: PAST, columns: TRIAL, told: ["duplicate"], is: "trialing" },
])("the same form $what", async ({ age, columns, told, is = "pending", kept = [] }) => {
  const { post, rows, count } = forms();
  await post();
  rows(`UPDATE sign_ups SET ${columns}`);
  const current = () => rows("SELECT id FROM sign_ups WHERE status <> 'ended'");
  const before = current();
  vi.setSystemTime(NOW + age);
  const answers: string[] = [];
  for (const _ of told) answers.push((await post()).status);
  expect(answers).toEqual(told);
  expect(current()).toEqual(told.length === 1 ? before : expect.not.arrayContaining(before));
  expect(rows("SELECT status FROM sign_ups ORDER BY status").map(({ status }) => status)).toEqual([...kept, is]);
  expect(count()).toMatchObject({ customers: 1 });
});
