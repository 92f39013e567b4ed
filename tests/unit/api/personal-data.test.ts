import { expect, test } from "vitest";
import { advance } from "../../../functions/subscription-api/sign-ups/advance";
import { erasePerson, exportPerson } from "../../../functions/subscription-api/sign-ups/personal-data";
import { stopClock } from "../../support/api-in-process/clock";
import { signUpsInProcess } from "../../support/api-in-process/sign-ups";

/* Each column, in each place: exported or not, and gone after erasing. The columns are read from the schema. */

stopClock(Date.parse("2026-11-22T12:00:00.000Z"));

const EMAIL = "ada@example.com";
const NOT_EXPORTED = ["idempotency_key", "check_rank", "password_hash", "stripe_attempt", "version"];

type Api = ReturnType<typeof signUpsInProcess>;

/** All text in the database, but for the tests' own record of changes. */
function everything({ rows }: Api): string {
  const tables = rows("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT IN ('changes')");
  return JSON.stringify(tables.map(({ name }) => rows(`SELECT * FROM "${name}"`)));
}

test("a sign-up is exported with every column but the hash and our own bookkeeping", async () => {
  const api = signUpsInProcess();
  const { id } = await api.onTrial({ email: EMAIL });
  await api.pending({ email: "somebody@else.example" });
  const { email, signUps } = await exportPerson(EMAIL, api.services);
  expect([email, signUps.map((one) => one.id)]).toEqual([EMAIL, [id]]);
  const columns = api.rows("SELECT name FROM pragma_table_xinfo('sign_ups')").map(({ name }) => String(name));
  const exported = [...columns.filter((name) => !NOT_EXPORTED.includes(name)), "messages"];
  expect(Object.keys(signUps[0] ?? {}).sort()).toEqual(exported.sort());
});

test.each<[string, (api: Api) => Promise<{ id: string }>]>([
  ["that has just begun", (api) => api.unknownToStripe({ email: EMAIL })],
  ["whose card's form is open", (api) => api.pending({ email: EMAIL })],
  ["on trial", (api) => api.onTrial({ email: EMAIL })],
])("after erasing a sign-up %s nothing of the person is left, here and at Stripe", async (_, begin) => {
  const api = signUpsInProcess({ onePerPerson: true });
  const { id } = await begin(api);
  const claims = api.rows("SELECT hash FROM trial_claims").length;
  const other = await api.pending({ email: "somebody@else.example" });
  expect(await erasePerson(EMAIL, api.services)).toMatchObject({ erased: 1 });
  expect(everything(api)).not.toMatch(new RegExp(`${id}|${EMAIL}`));
  expect(api.model.all("customer").filter(({ email, deleted }) => email === EMAIL && !deleted)).toEqual([]);
  const open = api.model.all("setup_intent").filter(({ status }) => status === "requires_payment_method");
  expect(open.map(({ customer }) => customer)).toEqual([other.stripe_customer_id]);
  // A trial's keyed hashes stay: the person gets no other.
  expect(api.rows("SELECT hash FROM trial_claims")).toHaveLength(claims);
  expect(await api.find(other.id)).toEqual(other);
});

test("a person is found by the email at Stripe too, and a customer by the email of the row", async () => {
  const api = signUpsInProcess();
  const { id, stripe_customer_id } = await api.onTrial({ email: "new@example.com" });
  Object.assign(api.model.get(stripe_customer_id) ?? {}, { email: EMAIL });
  expect((await exportPerson(EMAIL, api.services)).signUps).toMatchObject([{ id }]);
  expect(await erasePerson(EMAIL, api.services)).toEqual({ erased: 1, customers: 1 });
  expect(everything(api)).not.toContain(id);
  const another = await api.pending({ email: EMAIL });
  Object.assign(api.model.get(another.stripe_customer_id) ?? {}, { email: "newer@example.com" });
  expect(await erasePerson(EMAIL, api.services)).toEqual({ erased: 1, customers: 1 });
  expect(api.model.get(another.stripe_customer_id)?.deleted).toBe(true);
});

test("a customer whose sign-up was never stored, or is gone, is deleted as well; somebody else's customer is not", async () => {
  const api = signUpsInProcess();
  const signUp = await api.pending({ email: EMAIL });
  api.rows("DELETE FROM sign_ups");
  const stranger = await api.pending({ email: "somebody@else.example" });
  expect(await erasePerson(EMAIL, api.services)).toEqual({ erased: 0, customers: 1 });
  expect(api.model.get(signUp.stripe_customer_id)?.deleted).toBe(true);
  expect(api.model.get(stranger.stripe_customer_id)?.deleted).toBeUndefined();
});

test("a closed account is erased where there is no console to be told", async () => {
  const api = signUpsInProcess();
  await advance(await api.onTrial({ email: EMAIL }), api.services, "not-me");
  expect(await erasePerson(EMAIL, { ...api.services, accountWebhook: undefined })).toMatchObject({ erased: 1 });
});
