import { expect, test, vi } from "vitest";
import { MAX_FAILED_CARDS } from "../../../../app/contract/trial";
import { createSignUp, type SignUpResult } from "../../../../functions/subscription-api/sign-ups/create-sign-up";
import { HOUR, MINUTE } from "../../../support/api-in-process/scheduler";
import { refusal } from "../../../support/api-in-process/stripe-objects";
import { NOW, stopClock } from "../../../support/clock";
import { validRequest } from "../../../support/person";
import { signUpsInProcess } from "./sign-ups";
import { postedForm } from "./situations";

/* A posted form × its sign-up so far × other sign-ups. */

stopClock();

type Form = typeof validRequest;
const KEY = "a-key";
const NOTHING = { rows: 0, customers: 0, intents: 0 };

function forms() {
  const api = signUpsInProcess({ onePerPerson: true });
  const post = (fields: Partial<Form> = {}, key = KEY): Promise<SignUpResult> =>
    createSignUp(postedForm({ request: { ...validRequest, ...fields }, idempotencyKey: key }), api.services);
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

test.each<[SignUpResult["status"], Partial<Form>, key: string, hashes: number, rows: number]>([
  ["created", {}, KEY, 1, 2],
  ["created", { email: "new@example.com" }, "another", 1, 3],
  ["created", {}, "another, while the first is open", 1, 3],
  ["duplicate", { email: "had@trial.example" }, "another", 1, 2],
  ["key-reused", { city: "Boston" }, KEY, 1, 2],
  ["key-reused", { password: "An0ther-one" }, KEY, 1, 2],
  ["key-reused", { package_id: undefined }, KEY, 1, 2],
  ["unknown-package", { package_id: "00000000-0000-4000-8000-000000000000" }, "another", 0, 2],
])(
  "timing reveals no email address: a form that is %s (%o, key %s) costs %i password hashes",
  async (status, fields, key, hashes, all) => {
    const { services, post, onTrial, count } = forms();
    await onTrial({ email: "had@trial.example" });
    await post();
    const [hash, verify] = [vi.spyOn(services.passwords, "hash"), vi.spyOn(services.passwords, "verify")];
    expect((await post(fields, key)).status).toBe(status);
    expect(hash.mock.calls.length + verify.mock.calls.length).toBe(hashes);
    expect(count()).toEqual({ rows: all, customers: all, intents: all });
  },
);

test.each([{ keys: "A B" }, { keys: "A B A" }, { keys: "A B B A B" }, { keys: "B A C A B C" }])(
  "forms of one address with the keys $keys have one sign-up for each key, in whatever order they come again",
  async ({ keys }) => {
    const { post, count } = forms();
    const ids = new Map<string, Set<string>>();
    for (const key of keys.split(" ")) {
      const result = await post({ full_name: `Ada ${key}` }, key);
      const id = result.status === "created" ? result.signUp.id : result.status;
      ids.set(key, (ids.get(key) ?? new Set()).add(id));
    }
    const each = [...ids].map(([key, found]) => [key, found.size]);
    expect(each, "sign-ups for each key").toEqual([...ids.keys()].map((key) => [key, 1]));
    expect(count()).toEqual({ rows: ids.size, customers: ids.size, intents: ids.size });
  },
);

test("an address that has had a trial is a duplicate, also without its row, and Stripe is not asked", async () => {
  const { post, onTrial, calls, rows } = forms();
  await onTrial();
  expect(await post({}, "another")).toEqual({ status: "duplicate" });
  rows("DELETE FROM sign_ups");
  expect(await post({}, "another")).toEqual({ status: "duplicate" });
  expect(calls).toEqual([]);
});

test("an email address that Stripe refuses stores nothing, nor does a form whose password was not hashed in time", async () => {
  const { services, post, instead, count, calls } = forms();
  instead.set("POST customers", refusal(400, "email_invalid"));
  expect(await post()).toEqual({ status: "email-refused" });
  expect(count()).toEqual(NOTHING);
  calls.length = 0;
  const passwords = { hash: async () => undefined, verify: async () => undefined, release() {} };
  expect(
    await createSignUp(postedForm({ request: validRequest, idempotencyKey: KEY }), { ...services, passwords }),
  ).toEqual({ status: "busy" });
  expect([count(), calls]).toEqual([NOTHING, []]);
});

const PAST = 24 * HOUR - 5 * MINUTE;

const OPEN = `declined_cards = ${MAX_FAILED_CARDS - 1}`;
const TRIAL = "status = 'trialing', trial_end = '2026-11-27T12:00:00.000Z'";

test.each<[what: string, age: number, columns: string, told: string[], rows: string[]]>([
  ["continues its sign-up before 23 hours and 55 minutes", PAST - 1, OPEN, ["created"], ["pending"]],
  ["ends it, and then begins another, after that time", PAST, OPEN, ["ended", "created"], ["pending"]],
  [
    "ends it after its last card",
    0,
    `declined_cards = ${MAX_FAILED_CARDS}`,
    ["ended", "created"],
    ["ended", "pending"],
  ],
  ["continues its trial before that time", PAST - 1, TRIAL, ["created"], ["trialing"]],
  ["is a duplicate of its trial after that time", PAST, TRIAL, ["duplicate"], ["trialing"]],
])("the same form %s", async (_, age, columns, told, wanted) => {
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
  expect(rows("SELECT status FROM sign_ups ORDER BY status").map(({ status }) => status)).toEqual(wanted);
  expect(count()).toMatchObject({ customers: 1 });
});
