import { log } from "../../log";
import { messageKey, messagesOnce, type NewMessage } from "../../outbox/outbox";
import type { SignUp } from "../../sign-up";
import { isBeforeTrial, isCleanedUp, wasEnded } from "../../sign-up";
import type { Payments } from "../../stripe/payments";
import type { SubscriptionState } from "../../stripe/subscriptions";
import { fromNow, isPast, KEPT_AFTER_END_MS, now } from "../timing";
import type { AdvanceServices, Transition } from "./transition";
import { followSubscription, subscriptionsOf } from "./trial";

type EndReason = NonNullable<SignUp["end_reason"]>;

/** Ends a sign-up that has no trial. Releases its claims and its idempotency key, so that the same form can start again. */
export function endBeforeTrial({ id }: SignUp, reason: EndReason): Transition {
  return {
    write: {
      columns: { status: "ended", end_reason: reason, idempotency_key: unusedKey(id), check_at: now() },
      releasesClaims: true,
    },
    log: ["warn", "sign_up_ended", { signUpId: id, reason }],
  };
}

export function endByNotMe(signUp: SignUp): Transition {
  return endBeforeTrial(signUp, "not-me");
}

/**
 * Needs nothing that a start needs, such as a price that Stripe still sells. If nobody has confirmed the address, paid or
 * canceled, it can have one more trial, or nobody could sign up with it. After a payment or a confirmation, support decides.
 */
export async function endTrialByNotMe(signUp: SignUp, services: AdvanceServices): Promise<Transition> {
  const { payments, signUps, trialHashes } = services;
  const { id, email, email_verified_at } = signUp;
  if (wasEnded(signUp)) return { done: true };
  const { ended, wasCanceled } = await endAtStripe(signUp, payments);
  const isPaid = (await paidAmong(ended, payments)).length > 0;
  // The console has not heard of this account yet.
  if (isBeforeTrial(signUp) && !isPaid) return endByNotMe(signUp);
  const needsSupport = isPaid || email_verified_at !== null;
  const secondTrial = trialHashes.secondTrialOf(email);
  const mayHaveTrialAgain = !needsSupport && !wasCanceled && !(await signUps.hasHadTrial(secondTrial.claimed));
  return {
    write: {
      columns: {
        status: "canceled",
        end_reason: "not-me",
        idempotency_key: unusedKey(id),
        stripe_subscription_id: recordedOf(signUp, ended),
        check_at: null,
      },
      messages: messagesOnce(id, "account-closed", ...(needsSupport ? (["not-me-reported"] as const) : [])),
      secondTrial: mayHaveTrialAgain ? secondTrial : undefined,
    },
    log: ["warn", "sign_up_ended", { signUpId: id, reason: "not-me" }],
  };
}

/** Sales may subscribe a customer without a plan after the trial. It ends too if the address's owner ended the sign-up. */
export async function followLateSubscription(signUp: SignUp, services: AdvanceServices): Promise<Transition> {
  const { id, stripe_subscription_id: known } = signUp;
  const { payments } = services;
  if (!wasEnded(signUp)) return known === null ? followSubscription(signUp, services) : { done: true };
  const { ended, running } = await endAtStripe(signUp, payments);
  const late = known === null ? ended : running;
  if (late.length === 0) return { done: true };
  const messages = (await paidAmong(late, payments)).map(({ stripeSubscriptionId }): NewMessage => {
    return { kind: "not-me-reported", key: `${messageKey("not-me-reported", id)}/${stripeSubscriptionId}` };
  });
  return { write: { columns: { stripe_subscription_id: recordedOf(signUp, ended) }, messages } };
}

/** The row keeps its subscription, or else gets one that was still running, or the newest. */
function recordedOf({ stripe_subscription_id }: SignUp, [first]: SubscriptionState[]): string | null {
  return stripe_subscription_id ?? first?.stripeSubscriptionId ?? null;
}

/** Cancels every subscription of the customer and detaches every card. `ended` has all subscriptions, the `running` ones first. */
async function endAtStripe(signUp: SignUp, payments: Payments) {
  const { status, stripe_customer_id: customer } = signUp;
  if (customer === null) throw new Error("A trial has no customer");
  const found = await subscriptionsOf(signUp, payments);
  const running: SubscriptionState[] = [];
  for (const one of found) {
    if (one.status !== "canceled") running.push(await payments.cancelSubscription(one.stripeSubscriptionId));
  }
  await payments.detachCardsOf(customer);
  const ended = [...running, ...found.filter((one) => one.status === "canceled")];
  // The customer may cancel until the API does.
  const isCanceled = [...found, ...running].some((one) => one.isCanceledByCustomer);
  return { ended, running, wasCanceled: isCanceled || (found.length === 0 && status === "canceled") };
}

/** Asked after the cancellations, because Stripe may charge until then. */
async function paidAmong(ended: SubscriptionState[], payments: Payments): Promise<SubscriptionState[]> {
  const isPaid = await Promise.all(ended.map((one) => payments.hasPaid(one.stripeSubscriptionId)));
  return ended.filter((_, at) => isPaid[at]);
}

/** Deletes an ended sign-up's objects at Stripe once no card is processed there; a day later in any case, with the row. */
export async function cleanUp(signUp: SignUp, { payments }: AdvanceServices): Promise<Transition> {
  const { stripe_setup_intent_id, updated_at } = signUp;
  const isKeptLongEnough = isPast(updated_at, KEPT_AFTER_END_MS);
  if (isCleanedUp(signUp) && !isKeptLongEnough) return { done: true };
  const isReleased = await payments.releaseCard(stripe_setup_intent_id);
  if (!isReleased && !isKeptLongEnough) return { done: true };
  await deleteCustomer(signUp, payments);
  if (isKeptLongEnough) return { remove: true };
  const check_at = fromNow(KEPT_AFTER_END_MS);
  return { write: { columns: { stripe_customer_id: null, stripe_setup_intent_id: null, check_at } } };
}

/** Also deletes a customer whose ID was lost with Stripe's answer. Keeps one whose trial a restored database may not know. */
export async function deleteCustomer(signUp: SignUp, payments: Payments): Promise<void> {
  const customerId = signUp.stripe_customer_id ?? (await payments.findCustomer(signUp));
  if (customerId === undefined) return;
  // A restored row is at a later attempt. Of any other, nothing may stay, not even of a trial that began at the same moment.
  const mayBeRestored = signUp.stripe_attempt > 0 && signUp.end_reason !== "not-me";
  const isKept = mayBeRestored && (await payments.hasCustomerHadTrial(customerId));
  if (isKept) log("error", "customer_with_trial_kept", { signUpId: signUp.id });
  else await payments.deleteCustomer(customerId);
}

/** A key that no request can have, because a key in a header cannot contain a space. */
function unusedKey(signUpId: string): string {
  return `ended ${signUpId}`;
}
