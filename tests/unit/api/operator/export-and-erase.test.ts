import { expect, test } from "vitest";
import { erasePerson, exportPerson } from "../../../../functions/subscription-api/operator/export-and-erase";
import type { SignUp } from "../../../../functions/subscription-api/sign-up";
import { advanceToNotMe } from "../../../../functions/subscription-api/sign-ups/transitions/advance";
import { refusal } from "../../../support/api-in-process/stripe-objects";
import { stopClock } from "../../../support/clock";
import { signUpsInProcess } from "../sign-ups/sign-ups";

stopClock();

const EMAIL = "ada@example.com";
const OTHER_EMAIL = "somebody@else.example";

type Api = ReturnType<typeof signUpsInProcess>;

/** All text in the database. */
function everythingIn({ rows }: Api): string {
  const tables = rows("SELECT name FROM sqlite_schema WHERE type = 'table'");
  return JSON.stringify(tables.map(({ name }) => rows(`SELECT * FROM "${name}"`)));
}

const customerOf = ({ model }: Api, signUp: SignUp) => {
  const customer = model.get(signUp.stripe_customer_id);
  if (!customer) throw new Error("The sign-up has no customer at Stripe");
  return customer;
};

test("an export has every column of a sign-up but the password's hash and our own bookkeeping", async () => {
  const api = signUpsInProcess();
  await api.onTrial({ email: EMAIL });
  const { signUps } = await exportPerson(EMAIL, api.services);
  const columns = api.rows("SELECT name FROM pragma_table_xinfo('sign_ups')").map(({ name }) => String(name));
  const bookkeeping = ["idempotency_key", "check_rank", "password_hash", "stripe_attempt", "version"];
  const expected = [...columns.filter((name) => !bookkeeping.includes(name)), "messages"];
  expect(Object.keys(signUps[0] ?? {}).sort()).toEqual(expected.sort());
});

test("an export has the person's sign-ups alone", async () => {
  const api = signUpsInProcess();
  const { id } = await api.onTrial({ email: EMAIL });
  await api.pending({ email: OTHER_EMAIL });
  const { signUps } = await exportPerson(EMAIL, api.services);
  expect(signUps.map((signUp) => signUp.id)).toEqual([id]);
});

test("a person is found by the email address here, and by the address at Stripe, which may be newer", async () => {
  const api = signUpsInProcess();
  const changedAtStripe = await api.onTrial({ email: "old@example.com" });
  Object.assign(customerOf(api, changedAtStripe), { email: EMAIL });
  const changedAwayAtStripe = await api.pending({ email: EMAIL });
  Object.assign(customerOf(api, changedAwayAtStripe), { email: "newer@example.com" });
  const { signUps } = await exportPerson(EMAIL, api.services);
  expect(signUps.map(({ id }) => id).sort()).toEqual([changedAtStripe.id, changedAwayAtStripe.id].sort());
});

const BEGIN = {
  begun: (api: Api) => api.unknownToStripe({ email: EMAIL }),
  pending: (api: Api) => api.pending({ email: EMAIL }),
  trial: (api: Api) => api.onTrial({ email: EMAIL }),
  ended: (api: Api) => api.pending({ email: EMAIL }, "status = 'ended', end_reason = 'cards-failed'"),
};
type State = keyof typeof BEGIN;

test.each<{ states: State[] }>([
  ...(Object.keys(BEGIN) as State[]).map((state) => ({ states: [state] })),
  { states: ["begun", "pending"] },
  { states: ["begun", "pending", "trial", "ended"] },
  { states: ["ended", "trial", "pending", "begun"] },
  { states: ["pending", "trial", "pending"] },
])(
  "erasing a person with the sign-ups $states leaves nothing here and at Stripe, and all of others",
  async ({ states }) => {
    const api = signUpsInProcess({ onePerPerson: true });
    const other = await api.pending({ email: OTHER_EMAIL });
    const ids: string[] = [];
    for (const state of states) ids.push((await BEGIN[state](api)).id);
    expect(await erasePerson(EMAIL, api.services)).toMatchObject({ status: "erased", signUps: states.length });
    expect(everythingIn(api)).not.toMatch(new RegExp([...ids, EMAIL].join("|")));
    const customers = api.model.all("customer").filter(({ deleted }) => !deleted);
    expect(customers.map(({ id }) => id)).toEqual([other.stripe_customer_id]);
    const open = api.model.all("setup_intent").filter(({ status }) => status === "requires_payment_method");
    expect(open.map(({ id }) => id)).toEqual([other.stripe_setup_intent_id]);
    expect(await api.find(other.id)).toEqual(other);
  },
);

test("erasing keeps the keyed hashes of a trial, so that the person gets no second one", async () => {
  const api = signUpsInProcess({ onePerPerson: true });
  await api.onTrial({ email: EMAIL });
  const hashes = api.rows("SELECT hash FROM trial_claims ORDER BY hash");
  await erasePerson(EMAIL, api.services);
  expect(api.rows("SELECT hash FROM trial_claims ORDER BY hash")).toEqual(hashes);
});

test("a customer whose sign-up is lost is erased at Stripe by its email address", async () => {
  const api = signUpsInProcess();
  const lost = await api.pending({ email: EMAIL });
  api.rows("DELETE FROM sign_ups WHERE id = ?", lost.id);
  expect(await erasePerson(EMAIL, api.services)).toMatchObject({ status: "erased", signUps: 0, customers: 1 });
  expect(customerOf(api, lost).deleted).toBe(true);
});

test("what Stripe fails to delete is found again by the next try", async () => {
  const api = signUpsInProcess();
  const signUp = await api.pending({ email: EMAIL });
  api.instead.set("DELETE customers", refusal(500, "", "api_error"));
  await expect(erasePerson(EMAIL, api.services)).rejects.toThrow("unavailable");
  api.instead.clear();
  expect(await erasePerson(EMAIL, api.services)).toMatchObject({ status: "erased", signUps: 1, customers: 1 });
  expect(customerOf(api, signUp).deleted).toBe(true);
});

/** A trial that its address's owner ended, and whose messages are in these states. */
async function reportedTrial(states: { "account-closed": string; "not-me-reported": string }) {
  const api = signUpsInProcess();
  const { id } = await api.onTrial({ email: EMAIL });
  await api.change(id, "email_verified_at = '2026-11-22T12:00:00.000Z'");
  await advanceToNotMe(await api.find(id), api.services);
  for (const [kind, state] of Object.entries(states))
    api.rows("UPDATE outbox SET state = ? WHERE kind = ?", state, kind);
  return { ...api, id };
}

test.each([
  { closed: "sent", reported: "due", waitsFor: ["not-me-reported"] },
  { closed: "sent", reported: "dead", waitsFor: ["not-me-reported"] },
  { closed: "due", reported: "sent", waitsFor: ["account-closed"] },
  { closed: "dead", reported: "sent", waitsFor: ["account-closed"] },
  { closed: "due", reported: "dead", waitsFor: ["account-closed", "not-me-reported"] },
])(
  "nothing is erased while account-closed is $closed and not-me-reported is $reported",
  async ({ closed, reported, waitsFor }) => {
    const api = await reportedTrial({ "account-closed": closed, "not-me-reported": reported });
    expect(await erasePerson(EMAIL, api.services)).toEqual({ status: "waiting", waitsFor });
    expect(customerOf(api, await api.find(api.id)).deleted).toBeUndefined();
  },
);

test.each([
  { closed: "sent", erased: true },
  { closed: "dropped", erased: true },
  { closed: "due", erased: true },
  { closed: "dead", erased: false },
])(
  "without a console, an account-closed that is $closed lets an erasure through: $erased",
  async ({ closed, erased }) => {
    const api = await reportedTrial({ "account-closed": closed, "not-me-reported": "sent" });
    const { status } = await erasePerson(EMAIL, { ...api.services, accountWebhook: undefined });
    expect(status).toBe(erased ? "erased" : "waiting");
  },
);

test("a report that arrives during an erasure is kept until support has it", async () => {
  const api = signUpsInProcess();
  const { id } = await api.onTrial({ email: EMAIL });
  await api.change(id, "email_verified_at = '2026-11-22T12:00:00.000Z'");
  api.instead.set("DELETE customers", async () => {
    api.instead.clear();
    await advanceToNotMe(await api.find(id), api.services);
    return undefined;
  });
  const waitsFor = ["account-closed", "not-me-reported"];
  expect(await erasePerson(EMAIL, api.services)).toEqual({ status: "waiting", waitsFor });
  expect(api.rows("SELECT kind FROM outbox WHERE kind = 'not-me-reported'")).toHaveLength(1);
});

test("a person whose card Stripe is still processing is not erased before that has ended", async () => {
  const api = signUpsInProcess();
  const signUp = await api.pending({ email: EMAIL });
  const intent = Object.assign(api.model.get(signUp.stripe_setup_intent_id) ?? {}, { status: "processing" });
  await expect(erasePerson(EMAIL, api.services)).rejects.toMatchObject({ reason: "in-progress" });
  expect(await api.find(signUp.id)).toEqual(signUp);
  Object.assign(intent, { status: "requires_payment_method" });
  expect(await erasePerson(EMAIL, api.services)).toMatchObject({ status: "erased", signUps: 1 });
});

test("a sign-up that the person begins during an erasure keeps its customer", async () => {
  const api = signUpsInProcess();
  await api.pending({ email: EMAIL });
  const begun: string[] = [];
  api.instead.set("DELETE customers", async () => {
    api.instead.clear();
    begun.push((await api.pending({ email: EMAIL })).id);
    return undefined;
  });
  expect(await erasePerson(EMAIL, api.services)).toMatchObject({ status: "erased", signUps: 1 });
  expect(customerOf(api, await api.find(begun[0] ?? "")).deleted).toBeUndefined();
});
