import { expect, test } from "vitest";
import type { SignUp } from "../../../../functions/subscription-api/sign-up";
import { stopClock } from "../../../support/clock";
import { look, signUpsInProcess } from "./sign-ups";
import { type Api, SITUATIONS, type Situation, TRIGGERS } from "./situations";

/* What "This wasn't me" ends at Stripe, also while something else happens there, just before one of its calls. */

stopClock();

type Sale = (api: Api, signUp: SignUp) => unknown;

const reportsOf = ({ rows }: Api) => rows("SELECT key FROM outbox WHERE kind = 'not-me-reported'");

/** Sales subscribe the customer once more, to something that is paid at once. */
const sell: Sale = async ({ model }, { stripe_customer_id }) => {
  const fields = `customer=${stripe_customer_id}&items[0][price]=price_standard&trial_period_days=0`;
  model.request("POST", new URL("https://stripe/v1/subscriptions"), fields, undefined);
  const sold = model.all("subscription", stripe_customer_id).at(-1);
  if (sold) model.become(sold, "active");
};
const become =
  (status: string) =>
  ({ model }: Api) =>
    model.all("subscription").map((one) => model.become(one, status));
const addCard: Sale = ({ model }, { stripe_customer_id, stripe_setup_intent_id }) => {
  const card = model.get(model.get(stripe_setup_intent_id)?.payment_method);
  if (card) model.objects.set("pm_portal", { ...card, id: "pm_portal", customer: stripe_customer_id });
};

test.each<{ what: string; from: Situation; before?: Sale[]; after?: Sale[]; reports: number }>([
  { what: "a plan and a sale", from: "trialing, trialing", before: [sell], reports: 1 },
  { what: "a canceled plan and a sale", from: "trialing, trialing", before: [become("canceled"), sell], reports: 1 },
  { what: "two sales", from: "trialing without a plan, nothing", before: [sell, sell], reports: 1 },
  { what: "a card added in the portal", from: "trialing, trialing", before: [addCard], reports: 0 },
  { what: "a sale after it, to a plan", from: "trialing, trialing", after: [sell], reports: 1 },
  { what: "two sales after it", from: "trialing without a plan, nothing", after: [sell, addCard, sell], reports: 2 },
])("every subscription ends, no card is kept, and support hears of each payment: $what", async (row) => {
  const { from, before = [], after = [], reports } = row;
  const api = signUpsInProcess();
  const signUp = await SITUATIONS[from](api);
  const { model } = api;
  const happen = async (all: Sale[]) => {
    for (const happens of all) {
      await happens(api, signUp);
      await TRIGGERS["subscription event"](api, signUp);
    }
  };
  await happen(before);
  await TRIGGERS["not me"](api, await api.find(signUp.id));
  await happen(after);
  expect(model.all("subscription").filter(({ status }) => status !== "canceled")).toEqual([]);
  expect(model.all("payment_method").filter(({ customer }) => customer !== null)).toEqual([]);
  expect(reportsOf(api)).toHaveLength(reports);
});

test.each(["price_unknown", "price_mini"])("a price that Stripe does not sell, %s, ends no sign-up", async (price) => {
  const api = signUpsInProcess();
  const signUp = await SITUATIONS["pending, a card"](api);
  Object.assign(api.model.get("price_mini") ?? {}, { active: false });
  await api.change(signUp.id, `stripe_price_id = '${price}'`);
  for (const trigger of ["card event", "status"] as const)
    await expect(TRIGGERS[trigger](api, signUp)).rejects.toThrow("unexpected-answer");
  expect(look(api, signUp), "waits for the cron handler").toMatchObject({ status: "card_set_up", checkIn: 2 });
  await TRIGGERS["not me"](api, signUp);
  expect(await api.find(signUp.id)).toMatchObject({ status: "ended", end_reason: "not-me" });
  expect([...api.rows("SELECT kind FROM outbox"), ...api.rows("SELECT hash FROM trial_claims")]).toEqual([]);
});

const PLAN: Situation = "trialing, trialing";
const NO_PLAN: Situation = "trialing without a plan, nothing";
const CANCEL = "DELETE subscriptions";
const READ_CARDS = "GET payment_methods";

test.each<{ what: string; from: Situation; step: string; happens: Sale; reports: number; isFree: boolean }>([
  { what: "Stripe charges", from: PLAN, step: CANCEL, happens: become("active"), reports: 1, isFree: false },
  { what: "the customer cancels", from: PLAN, step: CANCEL, happens: become("canceled"), reports: 0, isFree: false },
  { what: "sales charge", from: NO_PLAN, step: READ_CARDS, happens: sell, reports: 1, isFree: true },
])("if $what just before $step, support hears of $reports charges, and the address is free: $isFree", async (row) => {
  const api = signUpsInProcess();
  const { services, model, rows } = api;
  const signUp = await SITUATIONS[row.from](api);
  api.before(row.step, () => row.happens(api, signUp));
  await TRIGGERS["not me"](api, signUp);
  await TRIGGERS["subscription event"](api, signUp);
  expect(reportsOf(api)).toHaveLength(row.reports);
  expect(await services.signUps.hasHadTrial(services.trialHashes.ofEmail(signUp.email))).toBe(!row.isFree);
  const [subscription, ...others] = model.all("subscription");
  expect([subscription?.status, others]).toEqual(["canceled", []]);
  expect(rows("SELECT stripe_subscription_id AS id FROM sign_ups")).toEqual([{ id: subscription?.id }]);
});
