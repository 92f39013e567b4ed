import { expect, test } from "vitest";
import { erasePerson, exportPerson } from "../../../../functions/subscription-api/operator/export-and-erase";
import { advance } from "../../../../functions/subscription-api/sign-ups/advance";
import type { SignUp } from "../../../../functions/subscription-api/sign-ups/sign-up";
import { refusal } from "../../../support/api-in-process/stripe-model";
import { stopClock } from "../../../support/clock";
import { signUpsInProcess } from "../sign-ups/sign-ups";

stopClock();

const EMAIL = "ada@example.com";
const NOT_EXPORTED = ["idempotency_key", "check_rank", "password_hash", "stripe_attempt", "version"];

type Api = ReturnType<typeof signUpsInProcess>;

/** All text in the database. */
function everything({ rows }: Api): string {
  const tables = rows("SELECT name FROM sqlite_schema WHERE type = 'table'");
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

test("a person is found by the email here and at Stripe, with a sign-up or without; nobody else is", async () => {
  const api = signUpsInProcess();
  const atStripe = await api.onTrial({ email: "new@example.com" });
  const [here, lost] = [await api.pending({ email: EMAIL }), await api.pending({ email: EMAIL })];
  const stranger = await api.pending({ email: "somebody@else.example" });
  const customerOf = (one: SignUp) => api.model.get(one.stripe_customer_id) ?? { deleted: "unknown" };
  Object.assign(customerOf(atStripe), { email: EMAIL });
  Object.assign(customerOf(here), { email: "newer@example.com" });
  api.rows("DELETE FROM sign_ups WHERE id = ?", lost.id);
  const { signUps } = await exportPerson(EMAIL, api.services);
  expect(new Set(signUps.map(({ id }) => id))).toEqual(new Set([atStripe.id, here.id]));
  // What Stripe fails to delete is found again.
  api.instead.set("DELETE customers", refusal(500, "", "api_error"));
  await expect(erasePerson(EMAIL, api.services)).rejects.toThrow("unavailable");
  api.instead.clear();
  expect(await erasePerson(EMAIL, api.services)).toEqual({ erased: 2, customers: 3 });
  expect([atStripe, here, lost].map((one) => customerOf(one).deleted)).toEqual([true, true, true]);
  expect([customerOf(stranger).deleted, api.rows("SELECT id FROM sign_ups")]).toEqual([
    undefined,
    [{ id: stranger.id }],
  ]);
});

test("a closed account is erased where there is no console to be told", async () => {
  const api = signUpsInProcess();
  await advance(await api.onTrial({ email: EMAIL }), api.services, "not-me");
  expect(await erasePerson(EMAIL, { ...api.services, accountWebhook: undefined })).toMatchObject({ erased: 1 });
});
