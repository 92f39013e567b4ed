import { TRIAL_DAYS } from "../../../app/contract/plan-prices";
import type { Packages } from "../catalogue/packages";
import { log } from "../log";
import { PaymentsError } from "../stripe/client";
import type { Payments } from "../stripe/payments";
import type { CardSetUp, StripeEvent } from "../stripe/webhook";
import { awaitsTrial, type SignUp } from "./sign-up";
import type { SignUpLifecycle } from "./sign-up-lifecycle";
import type { SignUps } from "./sign-up-store";

export type TrialServices = { packages: Packages; signUps: SignUps; lifecycle: SignUpLifecycle; payments: Payments };

/** `unknown`: the event is about no sign-up. */
export type TrialOutcome = SignUp["status"] | "unknown";

const TRIAL_MS = TRIAL_DAYS * 24 * 60 * 60_000;

const MAX_READS = 5;

/** Activates a sign-up and starts its trial. A repetition continues where the last one stopped. */
export async function handleCardSetUp(
  card: CardSetUp,
  services: TrialServices,
  event?: StripeEvent,
): Promise<TrialOutcome> {
  const signUp = await services.lifecycle.activate(card, event);
  if (!signUp) return "unknown";
  return awaitsTrial(signUp) ? startTrial(signUp, services, event) : signUp.status;
}

/** Starts the trial at Stripe and records it. Without a plan there is nothing to subscribe to. */
export async function startTrial(signUp: SignUp, services: TrialServices, event?: StripeEvent): Promise<TrialOutcome> {
  const { packages, lifecycle, payments } = services;
  const { stripe_customer_id: customerId, stripe_setup_intent_id: setupIntentId } = signUp;
  if (customerId === null || setupIntentId === null) throw new Error("An active sign-up has no card");
  const chosen = signUp.package_id === null ? null : await packages.find(signUp.package_id);
  if (chosen === null && signUp.package_id !== null) throw new Error("A sign-up's package is not in the catalogue");

  const trial = await callStripe(signUp, services, async () => {
    const { paymentMethodId } = await payments.retrieveSetupIntent(setupIntentId);
    if (paymentMethodId === null) throw new PaymentsError("unexpected-answer");
    await payments.setDefaultCard(signUp, customerId, paymentMethodId);
    return chosen === null
      ? { stripeSubscriptionId: null, status: "trialing" as const, trialEnd: new Date(Date.now() + TRIAL_MS) }
      : payments.findOrCreateSubscription(signUp, { customerId, paymentMethodId, priceId: chosen.stripe_price_id });
  });
  const started = await lifecycle.startTrial(signUp.id, trial, event);
  if (started) log("info", "trial_started", { signUpId: signUp.id, status: started.status });
  return started?.status ?? "unknown";
}

/** Reads the state anew, since events arrive late, repeatedly and out of order. */
export async function handleSubscriptionChange(
  { stripeSubscriptionId, customerId }: { stripeSubscriptionId: string; customerId: string },
  services: TrialServices,
  event: StripeEvent,
): Promise<TrialOutcome> {
  const { signUps, lifecycle, payments } = services;
  for (let read = 0; read < MAX_READS; read += 1) {
    const signUp = await signUps.findByStripe(stripeSubscriptionId, customerId);
    if (signUp && awaitsTrial(signUp)) return startTrial(signUp, services, event);
    if (!signUp || !hasSubscription(signUp, stripeSubscriptionId)) {
      await lifecycle.markProcessed(event);
      return "unknown";
    }
    const state = await payments.retrieveSubscription(stripeSubscriptionId);
    const remind = event.type === "customer.subscription.trial_will_end";
    if (await lifecycle.applyStripeState(signUp, state, { event, remind })) return state.status;
  }
  throw new Error("A sign-up changed each time it was read");
}

/** A trial without a plan takes the first subscription that its customer gets. */
function hasSubscription({ status, stripe_subscription_id }: SignUp, stripeSubscriptionId: string): boolean {
  if (stripe_subscription_id === null) return status === "trialing";
  return stripe_subscription_id === stripeSubscriptionId;
}

/** Gives the sign-up new idempotency keys when Stripe would repeat a failure. */
export async function callStripe<T>(
  signUp: SignUp,
  { signUps }: Pick<TrialServices, "signUps">,
  calls: () => Promise<T>,
): Promise<T> {
  try {
    return await calls();
  } catch (error) {
    if (error instanceof PaymentsError && error.reason === "failed") {
      await signUps.endAttempt(signUp.id, signUp.stripe_attempt);
    }
    throw error;
  }
}
