import { MAX_FAILED_CARDS } from "../../../../app/contract/trial";
import { CONNECTIONS } from "../../../../functions/subscription-api/connections";
import { advanceDue } from "../../../../functions/subscription-api/cron/due-sign-ups";
import { CHECK_RANKS, type SignUp } from "../../../../functions/subscription-api/sign-up";
import { confirmEmail } from "../../../../functions/subscription-api/sign-ups/confirm-email";
import { createSignUp, type PostedForm } from "../../../../functions/subscription-api/sign-ups/create-sign-up";
import { handleStripeEvent } from "../../../../functions/subscription-api/sign-ups/handle-stripe-event";
import { signUpStatus } from "../../../../functions/subscription-api/sign-ups/sign-up-status";
import * as transitions from "../../../../functions/subscription-api/sign-ups/transitions/advance";
import type { StripeObject } from "../../../support/api-in-process/stripe-objects";
import { validRequest } from "../../../support/person";
import type { signUpsInProcess } from "./sign-ups";

export type Api = ReturnType<typeof signUpsInProcess>;
export type Begin = (api: Api) => Promise<SignUp>;
export type Pull = (api: Api, signUp: SignUp) => Promise<unknown>;
export type Situation = keyof typeof SITUATIONS;
export type Trigger = keyof typeof TRIGGERS;

/** After something else has happened, of which no message is left. */
const then =
  (begin: Begin, happens: (api: Api, signUp: SignUp) => unknown): Begin =>
  async (api) => {
    const { id } = await begin(api);
    await happens(api, await api.find(id));
    api.rows("DELETE FROM outbox");
    return api.find(id);
  };

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
const DAY_OLD = "created_at = '2026-11-21T12:00:00.000Z'";
const ENDED = "status = 'ended', end_reason = 'cards-failed'";
const NO_PLAN = "package_id = NULL, price_cents = NULL, stripe_price_id = NULL";

const begun: Begin = (api) => api.onTrial({}, "a card");
/** On trial, until its subscription at Stripe is changed. */
const onTrial = (row: string, change: Partial<StripeObject>): Begin =>
  then(begun, (api, { id, stripe_subscription_id }) => {
    Object.assign(api.model.get(stripe_subscription_id) ?? {}, change);
    return api.change(id, `status = '${row}'`);
  });

const trialing = onTrial("trialing", {});
const withCard = atCard(undefined, "a card");
const withSubscription = then(atCard("status = 'card_set_up'", "a card"), (api, it) => subscribe(api, it));
const withoutPlan = then(atCard(NO_PLAN, "a card"), ({ services }, { id }) => signUpStatus(id, services));

export const deleteCustomer = ({ model }: Api, { stripe_customer_id }: SignUp) =>
  model.request("DELETE", new URL(`https://stripe/v1/customers/${stripe_customer_id}`), "", undefined);
const confirm = ({ services }: Api, { id }: SignUp) => services.signUps.change(id, confirmEmail);
export const detachCard = ({ model }: Api, { stripe_customer_id }: SignUp) => {
  for (const card of model.all("payment_method", stripe_customer_id)) card.customer = null;
};

/** The sign-up's own subscription, or one that sales made. */
export const subscribe = async ({ services, model }: Api, signUp: SignUp, id = signUp.id, status = "trialing") => {
  const card = model.get(model.get(signUp.stripe_setup_intent_id)?.payment_method);
  const ids = { customerId: signUp.stripe_customer_id ?? "", stripePriceId: "price_standard", cardId: card?.id ?? "" };
  const made = await services.payments.findOrCreateSubscription({ ...signUp, id }, ids);
  Object.assign(model.get(made.stripeSubscriptionId) ?? {}, { status });
};

const pay = ({ model }: Api) => {
  for (const subscription of model.all("subscription")) model.become(subscription, "active");
};
const paid = then(onTrial("active", {}), pay);

/** How a sign-up stands, by "here, at Stripe". */
export const SITUATIONS = {
  "pending, nothing": (api) => api.unknownToStripe(),
  "pending, a card's form": atCard(),
  "pending for a day, a card's form": atCard(DAY_OLD),
  "pending for a day, a card": atCard(DAY_OLD, "a card"),
  "pending, a canceled form": atCard(undefined, undefined, { status: "canceled" }),
  "pending, a card": withCard,
  "pending, a card in processing": atCard(undefined, undefined, { status: "processing" }),
  "pending for a day, a card in processing": atCard(DAY_OLD, undefined, { status: "processing" }),
  "pending, a detached card": then(withCard, detachCard),
  "pending, a deleted customer": then(withCard, deleteCustomer),
  "pending without a plan, a card": atCard(NO_PLAN, "a card"),
  "pending, a card that had a trial": atCard(undefined, "used", {}, ["somebody@else.example", "used"]),
  "pending, a card of an address that had a trial": atCard(undefined, "a card", {}, [validRequest.email, "another"]),
  "pending before the last try, a card's form": atCard(`declined_cards = ${MAX_FAILED_CARDS - 1}`),
  "pending after the last try, a card": atCard(`declined_cards = ${MAX_FAILED_CARDS}`, "a card"),
  "pending, somebody else's card": atCard(undefined, "a card", { metadata: { sign_up_id: "another" } }),
  "pending, another customer's card": atCard(undefined, "a card", { customer: "another" }),
  "pending for a day, another customer's card": atCard(DAY_OLD, "a card", { customer: "another" }),
  "card_set_up, a card": atCard("status = 'card_set_up'", "a card"),
  "card_set_up, a subscription": withSubscription,
  "card_set_up, a subscription, no card": then(withSubscription, detachCard),
  "card_set_up, a paid subscription": then(withSubscription, pay),
  "ended, a card's form": atCard(ENDED),
  "ended, a card in processing": atCard(ENDED, undefined, { status: "processing" }),
  "ended, a card": atCard(ENDED, "a card"),
  "trialing, trialing": trialing,
  "trialing, canceled for later": onTrial("trialing", { cancel_at_period_end: true }),
  "trialing with a confirmed address, trialing": then(trialing, confirm),
  "trialing, active": onTrial("trialing", { status: "active" }),
  "trialing, canceled": onTrial("trialing", { status: "canceled" }),
  "trialing, gone": then(trialing, ({ model }, it) => model.objects.delete(`${it.stripe_subscription_id}`)),
  "trialing without a plan, nothing": withoutPlan,
  "trialing without a plan, active": then(withoutPlan, (api, signUp) => subscribe(api, signUp, "sales", "active")),
  "active, paid": paid,
  "active, made three times": then(paid, ({ model }) => {
    const [own] = model.all("subscription");
    for (const id of ["sub_2", "sub_3"]) if (own) model.objects.set(id, { ...structuredClone(own), id });
  }),
  "active, sold another": then(paid, (api, signUp) => subscribe(api, signUp, "sales", "active")),
  "active, past_due": onTrial("active", { status: "past_due" }),
  "past_due, active": onTrial("past_due", { status: "active" }),
  "canceled, canceled": onTrial("canceled", { status: "canceled" }),
} satisfies Record<string, Begin>;

/** A form without a shown price. */
export const postedForm = (request: PostedForm["request"], idempotencyKey: string): PostedForm => {
  return { request, idempotencyKey, shown: {}, requestId: "the-request" };
};

/** Received about the sign-up's card; a repetition has the same ID. */
export function cardEvent(signUp: SignUp, kind: "card-set-up" | "card-declined", eventId = "evt_1") {
  const card = { signUpId: signUp.id, setupIntentId: signUp.stripe_setup_intent_id ?? "" };
  return { kind, event: { id: eventId, type: "setup_intent" }, card };
}

export async function cron({ services }: Api): Promise<void> {
  const runStart = new Date();
  for (const rank of Object.values(CHECK_RANKS)) while ((await advanceDue(rank, runStart, services)) === CONNECTIONS);
}

/** Who moves a sign-up on. @param signUp as it was read some time ago */
export const TRIGGERS = {
  POST: async ({ services, rows }, { id, package_id }) => {
    const [row] = rows("SELECT idempotency_key FROM sign_ups WHERE id = ?", id);
    const request = { ...validRequest, package_id: package_id ?? undefined };
    return createSignUp(postedForm(request, String(row?.idempotency_key)), services);
  },
  status: ({ services }, { id }) => signUpStatus(id, services),
  withdrawal: ({ services }, { id }) => signUpStatus(id, services, transitions.advanceToWithdrawal),
  "card event": ({ services }, signUp) => handleStripeEvent(cardEvent(signUp, "card-set-up"), services),
  "declined event": ({ services }, signUp) => handleStripeEvent(cardEvent(signUp, "card-declined", "evt_2"), services),
  "subscription event": ({ services, model }, { stripe_customer_id: customerId }) => {
    const [found] = customerId === null ? [] : model.all("subscription", customerId);
    const changed = { stripeSubscriptionId: found?.id ?? "sub_none", customerId: customerId ?? "cus_none" };
    const event = { id: "evt_3", type: "customer.subscription.updated" };
    return handleStripeEvent({ kind: "subscription-changed", event, ...changed }, services);
  },
  cron: (api, { id }) => {
    api.rows("UPDATE sign_ups SET check_at = ? WHERE id = ?", new Date().toISOString(), id);
    return cron(api);
  },
  "not me": async ({ services }, { id }) => {
    const signUp = await services.signUps.find(id);
    if (signUp) await transitions.advanceToNotMe(signUp, services);
  },
} satisfies Record<string, Pull>;
