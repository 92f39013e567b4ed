import { reminderDate, trialEndOf } from "../../../../app/contract/trial";
import { messageKey, messagesOnce, type NewMessage, reminderKey } from "../../outbox/outbox";
import type { SignUp } from "../../sign-up";
import type { SetupIntent } from "../../stripe/card-setup";
import { unexpectedAnswer } from "../../stripe/client";
import type { Payments } from "../../stripe/payments";
import { mainOf, type SubscriptionState } from "../../stripe/subscriptions";
import { nextSubscriptionCheck, now } from "../timing";
import type { AdvanceServices, Transition } from "./transition";

/* The transitions after a card is set up: start the trial, then keep the row in line with the subscription at Stripe. */

type TrialState = Pick<SubscriptionState, "status" | "trialEnd"> & { stripeSubscriptionId: string | null };

/** Starts the trial with the terms that the visitor agreed to. Throws if Stripe does not know their price. */
export async function startTrial(
  signUp: SignUp,
  { payments }: AdvanceServices,
  known?: SetupIntent,
): Promise<Transition> {
  const { id, stripe_customer_id: customerId, stripe_price_id: stripePriceId } = signUp;
  if (customerId === null) throw new Error("A sign-up whose card is set up has no customer");
  const setupIntent = known ?? (await payments.findSetupIntent(signUp.stripe_setup_intent_id));
  const cardId = setupIntent?.paymentMethodId ?? null;
  if (cardId === null) throw unexpectedAnswer("payment_method");
  const trial: TrialState =
    stripePriceId === null
      ? await trialWithoutSubscription(signUp, customerId, cardId, payments)
      : await payments.findOrCreateSubscription(signUp, { customerId, stripePriceId, cardId });
  const begun = trial.status === "canceled" ? [] : messagesOnce(id, "trial-started", "account-created");
  return {
    write: { columns: trialColumnsOf(trial), messages: [...begun, ...reminderMessages(id, trial)] },
    log: ["info", "trial_started", { signUpId: id, status: trial.status }],
  };
}

/** Sales creates the subscription later, for the same card. */
async function trialWithoutSubscription(
  { trial_days }: SignUp,
  customerId: string,
  cardId: string,
  payments: Payments,
): Promise<TrialState> {
  await payments.startTrialWithoutPlan(customerId, cardId);
  return withoutSubscription(new Date(trialEndOf(now(), trial_days)));
}

function withoutSubscription(trialEnd: Date): TrialState {
  const hasEnded = trialEnd.getTime() <= Date.now();
  return { stripeSubscriptionId: null, status: hasEnded ? "canceled" : "trialing", trialEnd };
}

/** Reads the subscription, because events arrive late, repeatedly and out of order. */
export async function followSubscription(signUp: SignUp, { payments }: AdvanceServices): Promise<Transition> {
  const { id, status, stripe_subscription_id: own, trial_end } = signUp;
  const all = await subscriptionsOf(signUp, payments);
  const second = all.find(
    (one) => one.signUpId === id && one.stripeSubscriptionId !== own && one.status !== "canceled",
  );
  if (own !== null && second) return endSecond(signUp, second.stripeSubscriptionId, payments);
  const known = own === null ? mainOf(all) : all.find(({ stripeSubscriptionId }) => stripeSubscriptionId === own);
  const trial = known ?? withoutSubscription(new Date(trial_end ?? 0));
  // Stripe may drop the trial's end from a canceled subscription.
  const columns = trialColumnsOf({
    ...trial,
    trialEnd: trial.trialEnd ?? (trial_end === null ? null : new Date(trial_end)),
  });
  const isKnown =
    columns.status === status && columns.stripe_subscription_id === own && columns.trial_end === trial_end;
  return isKnown ? { done: true } : { write: { columns, messages: reminderMessages(id, trial) } };
}

/** All of the customer's, the latest first, with those that sales created; the row's own one even if its customer was deleted. */
export async function subscriptionsOf(
  { stripe_subscription_id: own, stripe_customer_id: customerId }: SignUp,
  payments: Payments,
): Promise<SubscriptionState[]> {
  if (customerId === null) throw new Error("A trial has no customer");
  const found = await payments.findSubscriptionsOf(customerId);
  const isListed = own === null || found.some(({ stripeSubscriptionId }) => stripeSubscriptionId === own);
  return isListed ? found : [...found, await payments.retrieveSubscription(own)];
}

/** Ends a subscription that was created a second time for the sign-up. It may have charged the customer, so support hears of it first. */
function endSecond({ id }: SignUp, subscription: string, payments: Payments): Transition {
  const key = `${messageKey("second-subscription", id)}/${subscription}`;
  return {
    write: { columns: {}, messages: [{ kind: "second-subscription", key }] },
    log: ["error", "second_subscription_ended", { signUpId: id }],
    afterWrite: () => payments.cancelSubscription(subscription, "a second subscription for one sign-up"),
  };
}

function trialColumnsOf({ status, stripeSubscriptionId, trialEnd }: TrialState) {
  const trial_end = trialEnd?.toISOString() ?? null;
  const check_at = nextSubscriptionCheck(status, trial_end);
  return { status, stripe_subscription_id: stripeSubscriptionId, trial_end, check_at };
}

/** The trial's reminder; none without a plan, because nothing is charged at its end. */
function reminderMessages(signUpId: string, { status, stripeSubscriptionId, trialEnd }: TrialState): NewMessage[] {
  if (status !== "trialing" || stripeSubscriptionId === null || trialEnd === null) return [];
  const notBefore = new Date(reminderDate(trialEnd.toISOString()));
  return [{ kind: "trial-ending", key: reminderKey(signUpId, trialEnd), notBefore }];
}
