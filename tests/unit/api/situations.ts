import { advance } from "../../../functions/subscription-api/sign-ups/advance";
import { createSignUp } from "../../../functions/subscription-api/sign-ups/create-sign-up";
import { advanceDue } from "../../../functions/subscription-api/sign-ups/due-sign-ups";
import { CHECK_RANKS, type SignUp } from "../../../functions/subscription-api/sign-ups/sign-up";
import { signUpStatus } from "../../../functions/subscription-api/sign-ups/sign-up-status";
import { handleStripeEvent } from "../../../functions/subscription-api/sign-ups/stripe-event";
import { emailConfirmed } from "../../../functions/subscription-api/sign-ups/transitions";
import type { signUpsInProcess } from "../../support/api-in-process/sign-ups";
import type { StripeObject } from "../../support/api-in-process/stripe-model";
import { validRequest } from "../../support/visitors/visitor";

export type Api = ReturnType<typeof signUpsInProcess>;

type Begin = (api: Api) => Promise<SignUp>;

const WITHOUT_PLAN = "package_id = NULL";

/** Before its trial, with the form for a card, which is then filled in or changed by Stripe. */
const atCard =
  (columns?: string, enter?: string, change: object = {}, others?: [email: string, card: string]): Begin =>
  async (api) => {
    if (others) await api.onTrial({ email: others[0] }, others[1]);
    const signUp = await api.pending({}, columns);
    if (enter) api.enterCard(signUp, enter);
    Object.assign(api.model.get(signUp.stripe_setup_intent_id) ?? {}, change);
    return signUp;
  };

/** On trial, until something changes its subscription at Stripe. */
const onTrial =
  (row: string, change: (api: Api, subscription: StripeObject) => unknown): Begin =>
  async (api) => {
    const { id, stripe_subscription_id } = await api.onTrial({}, "a card");
    api.rows("DELETE FROM outbox");
    const subscription = api.model.get(stripe_subscription_id);
    if (subscription) change(api, subscription);
    return api.change(id, `status = '${row}'`);
  };
const has = (status: string) => (_: Api, subscription: StripeObject) => Object.assign(subscription, { status });

async function withoutPlan(api: Api): Promise<SignUp> {
  const { id } = await atCard(WITHOUT_PLAN, "a card")(api);
  await signUpStatus(id, api.services);
  api.rows("DELETE FROM outbox");
  return api.find(id);
}

/** The sign-up's own subscription, or one that sales made. */
async function subscribe({ services, model }: Api, signUp: SignUp, id = signUp.id, status = "trialing"): Promise<void> {
  const choice = { customerId: signUp.stripe_customer_id ?? "", priceId: "price_standard" };
  const made = await services.payments.findOrCreateSubscription({ ...signUp, id }, choice);
  Object.assign(model.get(made.stripeSubscriptionId) ?? {}, { status });
}

/** How a sign-up stands, by "here, at Stripe". */
export const SITUATIONS: Record<string, Begin> = {
  "pending, nothing": (api) => api.unknownToStripe(),
  "pending, a card's form": atCard(),
  "pending for a day, a card's form": atCard("created_at = '2026-11-21T12:00:00.000Z'"),
  "pending, a canceled form": atCard(undefined, undefined, { status: "canceled" }),
  "pending, a card": atCard(undefined, "a card"),
  "pending without a plan, a card": atCard(WITHOUT_PLAN, "a card"),
  "pending, a card that had a trial": atCard(undefined, "used", {}, ["somebody@else.example", "used"]),
  "pending, a card of an address that had a trial": atCard(undefined, "a card", {}, [validRequest.email, "another"]),
  "pending after four declined cards, a card's form": atCard("declined_cards = 4"),
  "pending after five declined cards, a card": atCard("declined_cards = 5", "a card"),
  "pending, somebody else's card": atCard(undefined, "a card", { metadata: { sign_up_id: "another" } }),
  "pending, another customer's card": atCard(undefined, "a card", { customer: "another" }),
  "card_set_up, a card": atCard("status = 'card_set_up'", "a card"),
  "card_set_up, a subscription": async (api) => {
    const signUp = await atCard("status = 'card_set_up'", "a card")(api);
    await subscribe(api, signUp);
    return signUp;
  },
  "ended, a card's form": atCard("status = 'ended', end_reason = 'cards-failed'"),
  "ended, a card": atCard("status = 'ended', end_reason = 'replaced'", "a card"),
  "trialing, trialing": onTrial("trialing", has("trialing")),
  "trialing, canceled for later": onTrial("trialing", (_, made) => Object.assign(made, { cancel_at_period_end: true })),
  "trialing with a confirmed address, trialing": async (api) => {
    const { id } = await onTrial("trialing", has("trialing"))(api);
    await api.services.signUps.change(id, emailConfirmed);
    api.rows("DELETE FROM outbox");
    return api.find(id);
  },
  "trialing, active": onTrial("trialing", has("active")),
  "trialing, past_due": onTrial("trialing", has("past_due")),
  "trialing, canceled": onTrial("trialing", has("canceled")),
  "trialing, gone": onTrial("trialing", ({ model }, { id }) => model.objects.delete(id)),
  "trialing without a plan, nothing": withoutPlan,
  "trialing without a plan, active": async (api) => {
    const signUp = await withoutPlan(api);
    await subscribe(api, signUp, "sales", "active");
    return signUp;
  },
  "active, paid": onTrial("active", ({ model }, subscription) => model.become(subscription, "active")),
  "active, past_due": onTrial("active", has("past_due")),
  "active, canceled": onTrial("active", has("canceled")),
  "past_due, active": onTrial("past_due", has("active")),
  "past_due, unpaid": onTrial("past_due", has("unpaid")),
  "canceled, canceled": onTrial("canceled", has("canceled")),
};

/** Received about the sign-up's card; a repetition has the same ID. */
export function cardEvent(
  { id, stripe_setup_intent_id, stripe_customer_id }: SignUp,
  status: string,
  eventId = "evt_1",
) {
  const card = { signUpId: id, setupIntentId: stripe_setup_intent_id ?? "", customerId: stripe_customer_id ?? "" };
  const event = { id: eventId, type: "setup_intent" };
  return { status: status === "declined" ? ("card-declined" as const) : ("card-set-up" as const), event, card };
}

/** Runs the cron handler for all sign-ups that are due. */
export async function cron({ services }: Api): Promise<void> {
  for (const rank of Object.values(CHECK_RANKS)) await advanceDue(rank, services, () => true);
}

/** Who moves a sign-up on. @param signUp as it was read some time ago */
export const TRIGGERS: Record<string, (api: Api, signUp: SignUp) => Promise<unknown>> = {
  POST: async ({ services, rows }, { id, package_id }) => {
    const [row] = rows("SELECT idempotency_key FROM sign_ups WHERE id = ?", id);
    const request = { ...validRequest, package_id: package_id ?? undefined };
    return createSignUp(request, String(row?.idempotency_key), services);
  },
  status: ({ services }, { id }) => signUpStatus(id, services),
  "card event": ({ services }, signUp) => handleStripeEvent(cardEvent(signUp, "set up"), services),
  "declined event": ({ services }, signUp) => handleStripeEvent(cardEvent(signUp, "declined", "evt_2"), services),
  "subscription event": ({ services, model }, { stripe_customer_id: customerId }) => {
    const [found] = customerId === null ? [] : model.all("subscription", customerId);
    const changed = { stripeSubscriptionId: found?.id ?? "sub_none", customerId: customerId ?? "cus_none" };
    const event = { id: "evt_3", type: "customer.subscription.updated" };
    return handleStripeEvent({ status: "subscription-changed", event, ...changed }, services);
  },
  cron: (api, { id }) => {
    api.rows("UPDATE sign_ups SET check_at = ? WHERE id = ?", new Date().toISOString(), id);
    return cron(api);
  },
  "not me": async ({ services }, { id }) => {
    const signUp = await services.signUps.find(id);
    if (signUp) await advance(signUp, services, "not-me");
  },
};
