import type { Packages } from "../catalogue/packages";
import { log } from "../log";
import { type Payments, PaymentsError } from "../stripe/payments";
import { awaitsTrial, type CardSetUp, type EventId, type SignUp, type SignUps, TRIAL_DAYS } from "./sign-up-store";

export type TrialServices = { packages: Packages; signUps: SignUps; payments: Payments };

/** What became of the sign-up; `unknown` when there is none, or none that the event is about. */
export type TrialOutcome = SignUp["status"] | "unknown";

const TRIAL_MS = TRIAL_DAYS * 24 * 60 * 60_000;

/** How often a state is read again because another one was written meanwhile. */
const MAX_READS = 5;

/**
 * Takes a sign-up from its set-up card to its running trial. Each step can be repeated: whoever comes next, Stripe's
 * next delivery, the visitor's retry or the cron handler, goes on where the last one stopped.
 * @param event the Stripe event that told of the card
 * @throws PaymentsError, and what D1 throws; what was done until then stays
 */
export async function handleCardSetUp(
  card: CardSetUp,
  services: TrialServices,
  event?: EventId,
): Promise<TrialOutcome> {
  const signUp = await services.signUps.activate(card, event);
  if (!signUp) return "unknown";
  return awaitsTrial(signUp) ? startTrial(signUp, services, event) : signUp.status;
}

/**
 * Begins the trial of a sign-up whose card is set up: the card becomes the customer's default, the subscription is made
 * at Stripe, then both are written with the messages that tell of it. A sign-up without a package gets its trial too,
 * but no subscription: nothing can be charged before a plan is chosen.
 */
export async function startTrial(signUp: SignUp, services: TrialServices, event?: EventId): Promise<TrialOutcome> {
  const { packages, signUps, payments } = services;
  const { stripe_customer_id: customerId, stripe_setup_intent_id: setupIntentId } = signUp;
  if (customerId === null || setupIntentId === null) throw new Error("An active sign-up has no card");
  const chosen = signUp.package_id === null ? null : await packages.find(signUp.package_id);
  if (chosen === null && signUp.package_id !== null) throw new Error("A sign-up's package is not in the catalogue");

  const trial = await callStripe(signUp, signUps, async () => {
    const { paymentMethodId } = await payments.retrieveSetupIntent(setupIntentId);
    if (paymentMethodId === null) throw new PaymentsError("unexpected-answer");
    await payments.setDefaultCard(signUp, customerId, paymentMethodId);
    return chosen === null
      ? { stripeSubscriptionId: null, status: "trialing" as const, trialEnd: new Date(Date.now() + TRIAL_MS) }
      : payments.findOrCreateSubscription(signUp, { customerId, paymentMethodId, priceId: chosen.stripe_price_id });
  });
  const begun = await signUps.beginTrial(signUp.id, trial, event);
  if (begun) log("info", "trial_started", { signUpId: signUp.id, status: begun.status });
  return begun?.status ?? "unknown";
}

/**
 * Writes what Stripe says of a subscription now. The event's own content is not used: events come late, twice and out of
 * order, the subscription is asked for instead, and written only if nothing else was written since.
 * @throws PaymentsError, and what D1 throws; Stripe then sends the event again
 */
export async function handleSubscriptionChange(
  { stripeSubscriptionId, customerId }: { stripeSubscriptionId: string; customerId: string },
  services: TrialServices,
  event: EventId,
): Promise<TrialOutcome> {
  const { signUps } = services;
  for (let read = 0; read < MAX_READS; read += 1) {
    const signUp = await signUps.findByStripe(stripeSubscriptionId, customerId);
    if (signUp && awaitsTrial(signUp)) return startTrial(signUp, services, event);
    if (!signUp || !concerns(signUp, stripeSubscriptionId)) {
      await signUps.markProcessed(event);
      return "unknown";
    }
    const trial = await services.payments.retrieveSubscription(stripeSubscriptionId);
    const trialEnding = event.type === "customer.subscription.trial_will_end";
    if (await signUps.applyStripeState(signUp, trial, { event, trialEnding })) return trial.status;
  }
  throw new Error("A subscription changed each time it was read");
}

/** The sign-up's own subscription, or the first one that somebody made for a customer without a plan. */
function concerns({ status, stripe_subscription_id }: SignUp, stripeSubscriptionId: string): boolean {
  if (stripe_subscription_id === null) return status === "trialing";
  return stripe_subscription_id === stripeSubscriptionId;
}

/**
 * Runs calls to Stripe that carry the sign-up's idempotency keys. When Stripe failed, the keys are spent: it would
 * repeat the failure, so the next attempt gets new ones.
 * @throws PaymentsError
 */
export async function callStripe<T>(signUp: SignUp, signUps: SignUps, calls: () => Promise<T>): Promise<T> {
  try {
    return await calls();
  } catch (error) {
    if (error instanceof PaymentsError && error.reason === "failed") {
      await signUps.endAttempt(signUp.id, signUp.stripe_attempt);
    }
    throw error;
  }
}
