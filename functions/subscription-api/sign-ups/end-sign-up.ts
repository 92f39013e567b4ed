import { messagesOnce } from "../outbox/outbox";
import type { Payments } from "../stripe/payments";
import type { SignUp } from "./sign-up";
import { isCleanedUp } from "./sign-up";
import type { AdvanceServices, Step } from "./step";
import { fromNow, isPast, KEPT_AFTER_END_MS, now } from "./timing";
import { subscriptionOf } from "./trial";

type EndReason = NonNullable<SignUp["end_reason"]>;

/** Ends a sign-up that has no trial: it claims nothing any more, and the same form can begin again. */
export function endBeforeTrial({ id }: SignUp, reason: EndReason): Step {
  return {
    write: {
      columns: { status: "ended", end_reason: reason, idempotency_key: unusedKey(id), check_at: now() },
      releasesClaims: true,
    },
    log: ["warn", "sign_up_ended", { signUpId: id, reason }],
  };
}

export function endByNotMe(signUp: SignUp): Step {
  return endBeforeTrial(signUp, "not-me");
}

/**
 * Cancels the subscription at once, whatever is then decided about the address and the money. The address may have a trial again,
 * once, if its owner neither confirmed it nor paid nor canceled. After a payment or a confirmed address, support decides.
 */
export async function endTrialByNotMe(signUp: SignUp, services: AdvanceServices): Promise<Step> {
  const { claims, payments, signUps } = services;
  const { id, email, email_verified_at, end_reason, stripe_setup_intent_id } = signUp;
  if (end_reason !== null) return { done: true };
  const subscription = await subscriptionOf(signUp, payments);
  const isPaid = subscription !== undefined && (await payments.hasPaid(subscription.stripeSubscriptionId));
  const wasCanceled = subscription?.isCanceledByCustomer ?? signUp.status === "canceled";
  if (subscription) await payments.cancelSubscription(subscription.stripeSubscriptionId);
  await payments.releaseCard(stripe_setup_intent_id);
  const tellsSupport = isPaid || email_verified_at !== null;
  const secondTrial = claims.secondTrialOf(email);
  const mayHaveTrialAgain = !tellsSupport && !wasCanceled && !(await signUps.hasHadTrial(secondTrial.claimed));
  return {
    write: {
      columns: { status: "canceled", end_reason: "not-me", idempotency_key: unusedKey(id), check_at: null },
      messages: messagesOnce(id, "account-closed", ...(tellsSupport ? (["not-me-reported"] as const) : [])),
      secondTrial: mayHaveTrialAgain ? secondTrial : undefined,
    },
    log: ["warn", "sign_up_ended", { signUpId: id, reason: "not-me" }],
  };
}

/**
 * Deletes what an ended sign-up has at Stripe, as soon as no card is being processed there, and a day later the row, which answers
 * for its status until then. A card that is processed for so long has no customer any more.
 */
export async function cleanUp(signUp: SignUp, { payments }: AdvanceServices): Promise<Step> {
  const { stripe_setup_intent_id, updated_at } = signUp;
  const isOver = isPast(updated_at, KEPT_AFTER_END_MS);
  if (isCleanedUp(signUp) && !isOver) return { done: true };
  const isReleased = await payments.releaseCard(stripe_setup_intent_id);
  if (!isReleased && !isOver) return { done: true };
  await deleteCustomer(signUp, payments);
  if (isOver) return { remove: true };
  const check_at = fromNow(KEPT_AFTER_END_MS);
  return { write: { columns: { stripe_customer_id: null, stripe_setup_intent_id: null, check_at } } };
}

/** Also a customer of which the row does not know, since the answer to its creation was lost. */
export async function deleteCustomer(signUp: SignUp, payments: Payments): Promise<void> {
  const customerId = signUp.stripe_customer_id ?? (await payments.findCustomer(signUp));
  if (customerId !== undefined) await payments.deleteCustomer(customerId);
}

/** No header's key contains a space. */
function unusedKey(signUpId: string): string {
  return `ended ${signUpId}`;
}
