import { expect, test, vi } from "vitest";
import { TRIAL_DAYS } from "../../../../app/contract/trial";
import { erasePerson } from "../../../../functions/subscription-api/operator/export-and-erase";
import { handleStripeEvent } from "../../../../functions/subscription-api/sign-ups/handle-stripe-event";
import { advance } from "../../../../functions/subscription-api/sign-ups/transitions/advance";
import { eventContentOf } from "../../../../functions/subscription-api/stripe/webhook-events";
import { DAY, HOUR, SECOND } from "../../../support/api-in-process/scheduler";
import { refusal } from "../../../support/api-in-process/stripe-objects";
import { NOW, stopClock } from "../../../support/clock";
import { validRequest } from "../../../support/person";
import { look, signUpsInProcess } from "./sign-ups";
import {
  type Api,
  cron,
  deleteCustomer,
  detachCard,
  SITUATIONS,
  type Situation,
  subscribe,
  TRIGGERS,
} from "./situations";

/* Every sign-up ends: the reasons and times, and the customers that Stripe creates after it, which `customer.created` deletes. */

stopClock();

test("a customer deleted before another card is asked for ends the sign-up, and the same form begins again", async () => {
  const api = signUpsInProcess({ onePerPerson: true });
  const signUp = await SITUATIONS["pending, a card that had a trial"](api);
  await TRIGGERS["card event"](api, signUp);
  deleteCustomer(api, signUp);
  expect(await TRIGGERS.POST(api, signUp)).toEqual({ status: "ended" });
  expect(await api.find(signUp.id)).toMatchObject({ status: "ended", end_reason: "card-removed" });
});

test("a sign-up without a plan follows the subscription that sales create a day after its end", async () => {
  const api = signUpsInProcess();
  const signUp = await SITUATIONS["trialing without a plan, nothing"](api);
  api.set(NOW + TRIAL_DAYS * DAY + HOUR);
  await cron(api);
  expect(await api.find(signUp.id)).toMatchObject({ status: "canceled" });
  api.set(NOW + (TRIAL_DAYS + 1) * DAY);
  for (const card of api.model.all("payment_method")) card.customer = signUp.stripe_customer_id;
  await subscribe(api, signUp, "sales", "active");
  await TRIGGERS["subscription event"](api, signUp);
  const [{ id } = {}] = api.model.all("subscription");
  expect(await api.find(signUp.id)).toMatchObject({ status: "active", stripe_subscription_id: id });
});

test.each<{ situation: Situation; stays: string }>([
  { situation: "pending for a day, a card in processing", stays: "pending" },
  { situation: "ended, a card in processing", stays: "ended" },
  { situation: "ended, a card's form", stays: "ended" },
])("a sign-up that is $situation is deleted after a day, and not a second earlier", async ({ situation, stays }) => {
  const api = signUpsInProcess();
  const signUp = await SITUATIONS[situation](api);
  const after = async (time: number) => {
    vi.setSystemTime(NOW + time);
    await TRIGGERS.cron(api, signUp);
    return look(api, signUp).status;
  };
  const statuses = [await after(0), await after(DAY - SECOND), await after(DAY)];
  expect(statuses).toEqual([stays, stays, "deleted"]);
});

/** Receives the event about a customer whom Stripe created at this time. */
async function receive({ services }: Api, object: object | undefined, time = Date.now()): Promise<void> {
  const event = { id: "evt_1", type: "customer.created", created: Math.floor(time / SECOND), data: { object } };
  const content = eventContentOf(event);
  if (content.kind !== "ignored") await handleStripeEvent(content, services);
}

/** An API with a sign-up whose customer Stripe has not created yet. */
async function withSlowCreation() {
  const api = signUpsInProcess();
  const { services, model } = api;
  const signUp = await api.unknownToStripe();
  /** Stripe carries out the creation, and sends the customer's event. */
  const arrive = async () => receive(api, model.get(await services.payments.findOrCreateCustomer(signUp)));
  return { ...api, signUp, arrive };
}

type Late = Awaited<ReturnType<typeof withSlowCreation>>;
const erase = ({ services }: Late) => erasePerson(validRequest.email, services);
const abandon = ({ services, set, signUp }: Late) => {
  set(NOW + DAY);
  return advance(signUp, services);
};

test.each<{ when: string; end: (api: Late) => Promise<unknown>; step?: string }>([
  { when: "after its sign-up was erased", end: erase },
  { when: "after its abandoned sign-up was deleted", end: abandon },
  { when: "while its sign-up is being erased", end: erase, step: "DELETE FROM sign_ups" },
  { when: "while its abandoned sign-up is being deleted", end: abandon, step: "DELETE FROM sign_ups" },
])("a customer whose event arrives $when is deleted", async ({ end, step }) => {
  const api = await withSlowCreation();
  if (step !== undefined) api.before(step, api.arrive);
  await end(api);
  if (step === undefined) await api.arrive();
  expect(api.model.all("customer")).toMatchObject([{ deleted: true }]);
  const late = api.logged.filter(({ event }) => event === "late_customer_deleted");
  expect(late).toMatchObject(step === undefined ? [{ signUpId: api.signUp.id }] : []);
});

test("an event whose customer Stripe fails to delete fails, so that Stripe repeats it", async () => {
  const api = await withSlowCreation();
  api.rows("DELETE FROM sign_ups");
  api.instead.set("DELETE customers", refusal(500, "", "api_error"));
  await expect(api.arrive()).rejects.toThrow("unavailable");
});

/** Another stage of the same Stripe account. */
const STAGING = { sign_up_id: crypto.randomUUID(), subscription_api: "https://staging.example" };

test.each<{ what: string; situation?: Situation; age?: number; change?: object; isGone?: boolean; isKept: boolean }>([
  { what: "nobody, 59:59 minutes ago", age: HOUR - SECOND, isKept: false },
  // The database may have been restored to an earlier time.
  { what: "nobody, an hour ago", age: HOUR, isKept: true },
  { what: "another stage", change: { metadata: STAGING }, isKept: true },
  { what: "sales", change: { metadata: {} }, isKept: true },
  { what: "a sign-up that exists", isGone: false, isKept: true },
  { what: "a trial that a restored database lacks", situation: "trialing, trialing", isKept: true },
  { what: "a canceled trial that it lacks", situation: "trialing, canceled", isKept: true },
  { what: "a trial without a plan that it lacks", situation: "trialing without a plan, nothing", isKept: true },
])("an event about a customer of $what keeps the customer: $isKept", async (told) => {
  const { situation = "pending, a card's form", age = 0, isGone = true } = told;
  const api = signUpsInProcess();
  const { stripe_customer_id } = await SITUATIONS[situation](api);
  if (isGone) api.rows("DELETE FROM sign_ups");
  const customer = api.model.get(stripe_customer_id);
  api.set(NOW + age);
  await receive(api, { ...customer, ...told.change }, NOW);
  expect(customer?.deleted).toBe(told.isKept ? undefined : true);
});

/** As a restored database knows a sign-up of the day before, whose trial has begun since. */
const BEFORE_THE_CARD = `status = 'pending', stripe_setup_intent_id = NULL, stripe_customer_id = NULL, stripe_subscription_id = NULL,
  trial_end = NULL, stripe_attempt = 1, created_at = '2026-11-20T12:00:00.000Z', check_at = created_at`;

test.each<{ situation: Situation; isCardFound: boolean }>([
  { situation: "trialing, trialing", isCardFound: true },
  { situation: "trialing without a plan, nothing", isCardFound: true },
  { situation: "trialing without a plan, nothing", isCardFound: false },
])("a restore keeps the customer of a trial ($situation), which goes on with a card: $isCardFound", async (row) => {
  const { situation, isCardFound } = row;
  const api = signUpsInProcess();
  const { id, stripe_customer_id } = await SITUATIONS[situation](api);
  api.rows("DELETE FROM trial_claims");
  if (!isCardFound) for (const intent of api.model.all("setup_intent")) api.model.objects.delete(intent.id);
  await api.change(id, BEFORE_THE_CARD);
  await cron(api);
  expect(api.model.get(stripe_customer_id)?.deleted).toBeUndefined();
  const goesOn = expect.objectContaining({ status: "trialing", stripe_customer_id });
  expect(await api.services.signUps.find(id)).toEqual(isCardFound ? goesOn : null);
  const kept = api.logged.filter(({ event }) => event === "customer_with_trial_kept");
  expect(kept).toMatchObject(isCardFound ? [] : [{ signUpId: id }]);
});

test("a customer whose card is removed while the trial without a plan begins is deleted with the sign-up", async () => {
  const api = signUpsInProcess();
  const { id, stripe_customer_id } = await SITUATIONS["trialing without a plan, nothing"](api);
  await api.change(id, "status = 'card_set_up', trial_end = NULL");
  detachCard(api, await api.find(id));
  expect(await TRIGGERS.status(api, await api.find(id))).toEqual({ status: "ended" });
  expect(api.model.get(stripe_customer_id)?.deleted).toBe(true);
});
