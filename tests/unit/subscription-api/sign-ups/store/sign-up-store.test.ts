import { describe, expect, test } from "vitest";
import type { SignUp } from "../../../../../functions/subscription-api/sign-ups/sign-up";
import { signUpsIn } from "../../../../../functions/subscription-api/sign-ups/store/sign-up-store";
import type { Io } from "../../../../support/api-in-process/database";
import { databaseInMemory } from "../../../../support/api-in-process/database";
import { validRequest } from "../../../../support/visitors/visitor";

/** Sign-ups over a database in memory, and the steps that they counted. */
function store(io?: Io) {
  const { db, rows, signUp } = databaseInMemory(io);
  const signUps = signUpsIn(db);
  const found = async ({ id }: SignUp) => {
    const one = await signUps.find(id);
    if (!one) throw new Error("There is no such sign-up");
    return one;
  };
  const set = ({ id }: SignUp, sql: string) => rows(`UPDATE sign_ups SET ${sql} WHERE id = ?`, id);
  return { signUps, rows, signUp, found, set };
}

const COLUMNS = { zipCode: "zip_code" } as const;

test("a new sign-up stores every field in its column, and is due for a check after ten minutes", async () => {
  const { signUps, rows } = store();
  const fields = [
    "email",
    "phone",
    "company_name",
    "full_name",
    "address",
    "city",
    "state",
    "zipCode",
    "country",
  ] as const;
  const request = { ...validRequest, ...Object.fromEntries(fields.map((field) => [field, `the ${field}`])) };
  await signUps.add({ id: "an-id", idempotencyKey: "a-key", passwordHash: "a hash", requestId: "a-request", request });
  const [row] = rows("SELECT * FROM sign_ups");
  expect(row).toMatchObject({
    id: "an-id",
    idempotency_key: "a-key",
    password_hash: "a hash",
    request_id: "a-request",
    status: "pending",
    package_id: validRequest.package_id,
    ...Object.fromEntries(fields.map((field) => [field === "zipCode" ? COLUMNS.zipCode : field, `the ${field}`])),
  });
  const waits = Date.parse(String(row?.check_at)) - Date.parse(String(row?.created_at));
  expect(waits).toBe(10 * 60_000);
});

test("a sign-up may have no plan", async () => {
  const { signUp, rows } = store();
  await signUp({ package_id: undefined });
  expect(rows("SELECT package_id FROM sign_ups")).toEqual([{ package_id: null }]);
});

test("an unknown sign-up is null", async () => {
  const { signUps } = store();
  expect(await signUps.find("another")).toBeNull();
  expect(await signUps.findByKey("another")).toBeNull();
  expect(await signUps.findByStripe("another", "another")).toBeNull();
});

test("the same key finds its sign-up and creates no other [G5]", async () => {
  const { signUps, signUp, rows } = store();
  const first = await signUp();
  const [row] = rows("SELECT idempotency_key FROM sign_ups");
  const again = await signUps.add({
    id: "another",
    idempotencyKey: String(row?.idempotency_key),
    passwordHash: "",
    requestId: "",
    request: validRequest,
  });
  expect(again).toEqual(first);
  expect(rows("SELECT id FROM sign_ups")).toHaveLength(1);
});

test("the first customer and setup intent are kept, and a sign-up is accepted once [G6]", async () => {
  const { signUps, signUp, found, set } = store();
  const one = await signUp();
  await signUps.recordCustomer(one.id, "cus_1");
  await signUps.recordCustomer(one.id, "cus_2");
  await signUps.recordSetupIntent(one, "seti_1");
  await signUps.recordSetupIntent(one, "seti_2");
  expect(await found(one)).toMatchObject({ stripe_customer_id: "cus_1", stripe_setup_intent_id: "seti_1" });
  set(one, "used_cards = 1, stripe_setup_intent_id = NULL");
  await signUps.recordSetupIntent(one, "seti_3");
  expect(await found(one)).toMatchObject({ stripe_setup_intent_id: "seti_3" });
});

/** SQL promises no order where none is asked for. */
const backwards: Io = async (_label, effect) => {
  const answer = effect();
  const found: unknown = Reflect.get(Object(answer), "results");
  if (Array.isArray(found)) found.reverse();
  return answer;
};

test.each([
  ["in the order of SQLite", undefined],
  ["in another order", backwards],
])("an event's sign-up is found by its subscription, else by its customer: %s [G7]", async (_, io) => {
  const { signUps, signUp, set } = store(io);
  const [one, other] = [await signUp(), await signUp()];
  set(one, "stripe_customer_id = 'cus_1'");
  set(other, "stripe_customer_id = 'cus_2', stripe_subscription_id = 'sub_2'");
  const find = async (subscription: string, customer: string) =>
    (await signUps.findByStripe(subscription, customer))?.id;
  expect(await find("sub_2", "cus_1")).toBe(other.id);
  expect(await find("sub_3", "cus_1")).toBe(one.id);
  expect(await find("sub_3", "cus_3")).toBeUndefined();
});

test("an address's latest pending sign-ups come first, and only pending ones count", async () => {
  const { signUps, signUp, set } = store();
  const made: SignUp[] = [];
  for (let minute = 0; minute < 4; minute += 1) {
    const one = await signUp();
    set(one, `created_at = '2026-11-22T12:0${minute}:00.000Z'`);
    made.push(one);
  }
  const [first, second, third, fourth] = made;
  if (third) set(third, "status = 'ended', end_reason = 'replaced'");
  await signUp({ email: "another@example.com" });
  const ids = async (limits: { limit: number; offset?: number }) =>
    (await signUps.findPending(validRequest.email, limits)).map(({ id }) => id);
  expect(await ids({ limit: 2 })).toEqual([fourth?.id, second?.id]);
  expect(await ids({ limit: 2, offset: 1 })).toEqual([second?.id, first?.id]);
  expect((await signUps.findByEmail(validRequest.email)).map(({ id }) => id)).toEqual(made.map(({ id }) => id));
});

describe("an email address that has had its trial", () => {
  test.each<[string, string, boolean]>([
    ["not with a pending sign-up", "status = 'pending'", false],
    ["not with one that was replaced", "status = 'ended', end_reason = 'replaced'", false],
    ["with a card that is set up", "status = 'card_set_up'", true],
    ["with a trial", "status = 'trialing', trial_end = '2026-12-01'", true],
    ["with a late payment", "status = 'past_due', trial_end = '2026-12-01'", true],
    ["with a trial that is over", "status = 'canceled', trial_end = '2026-12-01'", true],
    ["not with a sign-up that ended before", "status = 'canceled'", false],
    [
      "not with one reported as somebody else's",
      "status = 'canceled', trial_end = '2026-12-01', end_reason = 'not-me'",
      false,
    ],
  ])("is recognized %s [H3]", async (_, columns, had) => {
    const { signUps, signUp, set } = store();
    set(await signUp(), columns);
    expect(await signUps.hasHadTrial(validRequest.email, ["a hash"])).toBe(had);
    expect(await signUps.hasHadTrial("another@example.com", ["a hash"])).toBe(false);
  });

  test("is recognized by its claim, even after the person was erased [H3]", async () => {
    const { signUps, rows } = store();
    rows("INSERT INTO trial_claims (hash) VALUES ('a hash')");
    expect(await signUps.hasHadTrial(validRequest.email, ["another", "a hash"])).toBe(true);
    expect(await signUps.hasHadTrial(validRequest.email, ["another"])).toBe(false);
  });
});

test("erasing leaves the hash of a trial, and nothing of a sign-up without one [F4] [H3]", async () => {
  const { signUps, signUp, rows, set } = store();
  await signUps.erase((await signUp()).id, "of a pending one");
  for (let time = 0; time < 2; time += 1) {
    const one = await signUp();
    set(one, "status = 'canceled', trial_end = '2026-12-01'");
    await signUps.erase(one.id, "of a trial");
  }
  expect(rows("SELECT * FROM trial_claims")).toEqual([{ hash: "of a trial", sign_up_id: null }]);
  expect(rows("SELECT id FROM sign_ups")).toEqual([]);
});

test("an attempt ends once, however many requests notice its failure [G6]", async () => {
  const { signUps, signUp, found } = store();
  const one = await signUp();
  await signUps.endAttempt(one.id, 0);
  await signUps.endAttempt(one.id, 0);
  expect((await found(one)).stripe_attempt).toBe(1);
});

test("a sign-up that changed since it was read is not deleted", async () => {
  const { signUps, signUp, rows, set } = store();
  const [one, other] = [await signUp(), await signUp()];
  set(one, "status = 'card_set_up'");
  await signUps.deleteUnchanged(one);
  await signUps.deleteUnchanged(other);
  expect(rows("SELECT id FROM sign_ups")).toEqual([{ id: one.id }]);
});
