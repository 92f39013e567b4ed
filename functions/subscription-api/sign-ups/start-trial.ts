import { TRIAL_DAYS } from "../../../app/contract/plans";
import type { TrialClaims } from "../limits/trial-claims";
import { log } from "../log";
import type { Packages } from "../plans/packages";
import type { SetupIntent } from "../stripe/card-setup";
import { PaymentsError } from "../stripe/client";
import type { CardEvent, StripeEvent } from "../stripe/events";
import type { SubscriptionState } from "../stripe/payments";
import { endPendingSignUp, type FailedCardServices, refuseUsedCard } from "./ending/failed-cards";
import { hasTooManyFailedCards, type SignUp } from "./sign-up";
import type { SetUpCard } from "./store/sign-up-lifecycle";
import type { SignUps } from "./store/sign-up-store";

export type TrialServices = FailedCardServices & { packages: Packages; signUps: SignUps; claims: TrialClaims };

/** `unknown`: no sign-up matches the event. */
export type TrialOutcome = SignUp["status"] | "unknown";

const DAY_MS = 24 * 60 * 60_000;
const TRIAL_MS = TRIAL_DAYS * DAY_MS;
const REMINDED_BEFORE_MS = 2 * DAY_MS;
const NOT_REMINDED_FOR_MS = DAY_MS;

const MAX_READS = 5;

const NO_PLAN = { stripeSubscriptionId: null, status: "trialing", trialStart: null } as const;

/** Asks Stripe: the event only points to the setup intent. */
export async function handleCardSetUpEvent(
  card: CardEvent,
  services: TrialServices,
  event: StripeEvent,
): Promise<TrialOutcome> {
  const signUp = await services.signUps.find(card.signUpId);
  const setupIntent = signUp && (await services.payments.findSetupIntent(card.setupIntentId));
  if (!signUp || !setupIntent || setupIntent.customerId !== card.customerId) return "unknown";
  return handleCardSetUp(signUp, setupIntent, services, event);
}

/** Idempotent: continues where the last attempt stopped. */
export async function handleCardSetUp(
  signUp: SignUp,
  setupIntent: SetupIntent,
  services: TrialServices,
  event?: StripeEvent,
): Promise<TrialOutcome> {
  const { id: setupIntentId, customerId, usedCards } = setupIntent;
  if (setupIntent.state !== "succeeded" || setupIntent.signUpId !== signUp.id || customerId === null) return "unknown";
  const card: SetUpCard = { signUpId: signUp.id, setupIntentId, customerId, usedCards };
  const claim = services.claims.of(signUp.email, setupIntent.fingerprint);
  const stored = await services.lifecycle.recordCard(card, claim, event);
  if (!stored) return "unknown";
  // Another card may have been recorded meanwhile.
  const isOfCard = stored.stripe_setup_intent_id === setupIntentId;
  if (stored.status === "card_set_up") return startTrial(stored, services, event, isOfCard ? setupIntent : undefined);
  if (stored.status !== "pending") return stored.status;
  if (hasTooManyFailedCards(stored)) {
    const ended = await endPendingSignUp(stored, services);
    if (event) await services.processedEvents.add(event);
    return ended;
  }
  return waitsFor(stored, card)
    ? refuseUsedCard({ ...card, hash: claim.card ?? "" }, setupIntent, services, event)
    : "unknown";
}

function waitsFor({ stripe_setup_intent_id, stripe_customer_id, used_cards }: SignUp, card: SetUpCard): boolean {
  return (
    used_cards === card.usedCards &&
    (stripe_setup_intent_id ?? card.setupIntentId) === card.setupIntentId &&
    (stripe_customer_id ?? card.customerId) === card.customerId
  );
}

export async function startTrial(
  signUp: SignUp,
  services: TrialServices,
  event?: StripeEvent,
  known?: SetupIntent,
): Promise<TrialOutcome> {
  const { packages, lifecycle, payments } = services;
  const { stripe_customer_id: customerId, stripe_setup_intent_id: setupIntentId } = signUp;
  if (customerId === null || setupIntentId === null) throw new Error("A sign-up whose card is set up has no card");
  const chosen = signUp.package_id === null ? null : await packages.find(signUp.package_id);
  if (chosen === null && signUp.package_id !== null) throw new Error("A sign-up's package is not in the catalog");

  const trial = await callStripe(signUp, services, async () => {
    const { paymentMethodId } = known ?? (await payments.retrieveSetupIntent(setupIntentId));
    if (paymentMethodId === null) throw new PaymentsError("unexpected-answer");
    await payments.setDefaultCard(customerId, paymentMethodId);
    return chosen === null
      ? { ...NO_PLAN, trialEnd: new Date(Date.now() + TRIAL_MS) }
      : payments.findOrCreateSubscription(signUp, { customerId, priceId: chosen.stripe_price_id });
  });
  const remindAt = chosen === null ? null : reminderTime(trial);
  const started = await lifecycle.startTrial(signUp.id, trial, { event, remindAt });
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
    if (signUp && signUp.status === "card_set_up") return startTrial(signUp, services, event);
    if (!signUp || !hasSubscription(signUp, stripeSubscriptionId)) {
      await services.processedEvents.add(event);
      return "unknown";
    }
    const state = await payments.retrieveSubscription(stripeSubscriptionId);
    const hasOtherEnd = signUp.trial_end !== (state.trialEnd?.toISOString() ?? null);
    const endsSoon = event.type === "customer.subscription.trial_will_end";
    const remindAt = endsSoon || hasOtherEnd ? reminderTime(state) : null;
    if (await lifecycle.applyStripeState(signUp, state, { event, remindAt })) return state.status;
  }
  throw new Error("A sign-up changed each time it was read");
}

/** Null if the trial is so short that the start email is the reminder. */
function reminderTime({ trialStart, trialEnd }: Pick<SubscriptionState, "trialStart" | "trialEnd">): Date | null {
  if (trialEnd === null) return null;
  const time = new Date(trialEnd.getTime() - REMINDED_BEFORE_MS);
  return trialStart !== null && time.getTime() - trialStart.getTime() < NOT_REMINDED_FOR_MS ? null : time;
}

/** A trial without a plan adopts its customer's first subscription. */
function hasSubscription({ status, stripe_subscription_id }: SignUp, stripeSubscriptionId: string): boolean {
  if (stripe_subscription_id === null) return status === "trialing";
  return stripe_subscription_id === stripeSubscriptionId;
}

/** Gives the sign-up new idempotency keys when Stripe would repeat a failed creation; a failed read keeps them. */
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
