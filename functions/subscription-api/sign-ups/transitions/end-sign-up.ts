import { messagesOnce } from "../../outbox/outbox";
import type { SignUp } from "../../sign-up";
import { isCleanedUp, wasEnded } from "../../sign-up";
import type { Payments } from "../../stripe/payments";
import { fromNow, isPast, KEPT_AFTER_END_MS, now } from "../timing";
import type { AdvanceServices, Transition } from "./transition";
import { followSubscription, subscriptionOf } from "./trial";

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
 * Cancels the subscription immediately. If nobody has confirmed the address, paid or canceled, the address can have one more trial;
 * otherwise nobody could ever sign up with it. After a payment or a confirmed address, support decides about the address and a refund.
 */
export async function endTrialByNotMe(signUp: SignUp, services: AdvanceServices): Promise<Transition> {
  const { payments, signUps, trialHashes } = services;
  const { id, email, email_verified_at, stripe_setup_intent_id } = signUp;
  if (wasEnded(signUp)) return { done: true };
  const { ended, isPaid, wasCanceled } = await endSubscription(signUp, payments);
  await payments.releaseCard(stripe_setup_intent_id);
  const needsSupport = isPaid || email_verified_at !== null;
  const secondTrial = trialHashes.secondTrialOf(email);
  const mayHaveTrialAgain = !needsSupport && !wasCanceled && !(await signUps.hasHadTrial(secondTrial.claimed));
  return {
    write: {
      columns: {
        status: "canceled",
        end_reason: "not-me",
        idempotency_key: unusedKey(id),
        stripe_subscription_id: ended?.stripeSubscriptionId ?? null,
        check_at: null,
      },
      messages: messagesOnce(id, "account-closed", ...(needsSupport ? (["not-me-reported"] as const) : [])),
      secondTrial: mayHaveTrialAgain ? secondTrial : undefined,
    },
    log: ["warn", "sign_up_ended", { signUpId: id, reason: "not-me" }],
  };
}

/**
 * Sales may subscribe a customer without a plan after the trial. If the address's owner has ended the sign-up, perhaps at the same
 * moment, that subscription ends too. All other canceled sign-ups stay as they are.
 */
export async function followLateSubscription(signUp: SignUp, services: AdvanceServices): Promise<Transition> {
  const { id, stripe_subscription_id } = signUp;
  if (stripe_subscription_id !== null) return { done: true };
  if (!wasEnded(signUp)) return followSubscription(signUp, services);
  const { ended, isPaid } = await endSubscription(signUp, services.payments);
  if (ended === undefined) return { done: true };
  return {
    write: {
      columns: { stripe_subscription_id: ended.stripeSubscriptionId },
      messages: isPaid ? messagesOnce(id, "not-me-reported") : [],
    },
  };
}

/** Cancels the subscription, if there is one. */
async function endSubscription(signUp: SignUp, payments: Payments) {
  const found = await subscriptionOf(signUp, payments);
  if (found === undefined) return { ended: undefined, isPaid: false, wasCanceled: signUp.status === "canceled" };
  const ended = await payments.cancelSubscription(found.stripeSubscriptionId);
  // Asked after the cancellation, because Stripe may charge and the customer may cancel until then.
  const isPaid = await payments.hasPaid(ended.stripeSubscriptionId);
  return { ended, isPaid, wasCanceled: found.isCanceledByCustomer || ended.isCanceledByCustomer };
}

/**
 * Deletes an ended sign-up's objects at Stripe, as soon as no card is being processed there. Deletes the row a day later, because
 * the status can be requested until then. If a card is still being processed by then, its customer is deleted anyway.
 */
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

/** Also finds and deletes a customer that the row does not know because Stripe's answer was lost. */
export async function deleteCustomer(signUp: SignUp, payments: Payments): Promise<void> {
  const customerId = signUp.stripe_customer_id ?? (await payments.findCustomer(signUp));
  if (customerId !== undefined) await payments.deleteCustomer(customerId);
}

/** A key that no request can have, because a key in a header cannot contain a space. */
function unusedKey(signUpId: string): string {
  return `ended ${signUpId}`;
}
