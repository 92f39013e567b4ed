import type { SubscriptionStatus } from "../../../app/contract/subscription-response";
import { PaymentsError } from "../stripe/client";
import { setupIntentFor } from "./create-sign-up";
import type { SignUp } from "./sign-up";
import { callStripe, handleCardSetUp, startTrial, type TrialServices } from "./start-trial";

/** Asks Stripe if no webhook has arrived yet, so that the status includes the card just entered. */
export async function signUpStatus(id: string, services: TrialServices): Promise<SubscriptionStatus> {
  const stored = await services.signUps.find(id);
  if (!stored) return { status: "ended" };
  try {
    if (stored.status === "card_set_up") await startTrial(stored, services);
    if (stored.status === "pending") await lookForCard(stored, services);
  } catch (error) {
    // The webhook is being processed by another request.
    if (!(error instanceof PaymentsError) || error.reason !== "in-progress") throw error;
  }
  const signUp = (await services.signUps.find(id)) ?? stored;
  switch (signUp.status) {
    case "card_set_up":
      return { status: "pending" };
    case "pending":
      return signUp.used_cards === 0 ? { status: "pending" } : waitForAnotherCard(signUp, services);
    case "active":
    case "trialing":
    case "past_due":
      return { status: "trial", trial_end: signUp.trial_end ?? undefined };
    case "canceled":
    case "ended":
      return { status: "ended" };
  }
}

async function lookForCard(signUp: SignUp, services: TrialServices): Promise<void> {
  if (signUp.stripe_setup_intent_id === null) return;
  const setupIntent = await services.payments.retrieveSetupIntent(signUp.stripe_setup_intent_id);
  if (setupIntent.state === "succeeded") await handleCardSetUp(signUp, setupIntent, services);
}

async function waitForAnotherCard(signUp: SignUp, services: TrialServices): Promise<SubscriptionStatus> {
  const { clientSecret } = await callStripe(signUp, services, () => setupIntentFor(signUp, services));
  return { status: "card_used", client_secret: clientSecret };
}
