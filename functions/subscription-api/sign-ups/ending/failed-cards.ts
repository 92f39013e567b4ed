import { log } from "../../log";
import type { SetupIntent } from "../../stripe/card-setup";
import type { CardEvent, StripeEvent } from "../../stripe/events";
import type { Payments } from "../../stripe/payments";
import { hasTooManyFailedCards, type SignUp } from "../sign-up";
import type { ProcessedEvents } from "../store/processed-events";
import type { SignUpEndings, UsedCard } from "../store/sign-up-endings";
import type { SignUpLifecycle } from "../store/sign-up-lifecycle";

export type FailedCardServices = {
  lifecycle: SignUpLifecycle;
  endings: SignUpEndings;
  processedEvents: ProcessedEvents;
  payments: Payments;
};

type CardOutcome = SignUp["status"] | "unknown";

export async function handleCardDeclined(
  { signUpId, setupIntentId }: CardEvent,
  services: FailedCardServices,
  event: StripeEvent,
): Promise<CardOutcome> {
  const signUp = await services.endings.countDeclined(signUpId, setupIntentId, event);
  return signUp ? endAfterFailedCards(signUp, services) : "unknown";
}

export async function refuseUsedCard(
  card: UsedCard,
  { paymentMethodId }: SetupIntent,
  services: FailedCardServices,
  event?: StripeEvent,
): Promise<CardOutcome> {
  if (paymentMethodId !== null) await services.payments.detachCard(paymentMethodId);
  const signUp = await services.endings.refuseUsedCard(card, event);
  if (!signUp) return "unknown";
  log("info", "used_card_refused", { signUpId: signUp.id, usedCards: signUp.used_cards });
  return endAfterFailedCards(signUp, services);
}

async function endAfterFailedCards(signUp: SignUp, services: FailedCardServices): Promise<CardOutcome> {
  if (signUp.status !== "pending" || !hasTooManyFailedCards(signUp)) return signUp.status;
  return endPendingSignUp(signUp, services);
}

/** Cancels at Stripe first, after which no card can be set up, and detaches any card. */
export async function endPendingSignUp(signUp: SignUp, services: FailedCardServices): Promise<CardOutcome> {
  await releaseCard(signUp, services.payments);
  if (await services.endings.endPending(signUp.id, "cards-failed")) {
    log("warn", "sign_up_ended", { signUpId: signUp.id, reason: "cards-failed" });
  }
  return "ended";
}

export async function releaseCard({ stripe_setup_intent_id: id }: SignUp, payments: Payments): Promise<void> {
  let setupIntent = await payments.findSetupIntent(id);
  if (setupIntent?.state === "open") {
    try {
      await payments.cancelSetupIntent(setupIntent.id);
    } catch (error) {
      // The visitor may have set up a card meanwhile.
      setupIntent = await payments.findSetupIntent(setupIntent.id);
      if (setupIntent?.state === "open") throw error;
    }
  }
  if (setupIntent?.state === "succeeded" && setupIntent.paymentMethodId !== null) {
    await payments.detachCard(setupIntent.paymentMethodId);
  }
}
