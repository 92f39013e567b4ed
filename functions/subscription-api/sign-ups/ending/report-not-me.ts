import { log } from "../../log";
import type { SignUp } from "../sign-up";
import { startTrial, type TrialServices } from "../start-trial";
import { releaseCard } from "./failed-cards";

/** Idempotent. Frees the email address; the card still counts as used. */
export async function reportNotMe(signUp: SignUp, services: TrialServices): Promise<void> {
  const { claims, endings, payments } = services;
  if (signUp.status === "pending") {
    // Ends the row first: a card set up meanwhile has either started the trial already or never will.
    if (await endings.endPending(signUp.id, "not-me")) logEnd(signUp);
    return reportAsItIsThen(signUp, services);
  }
  if (signUp.status === "ended") {
    if (signUp.end_reason === "not-me") await releaseCard(signUp, payments);
    return;
  }
  if (signUp.end_reason !== null) return;
  if (signUp.status === "card_set_up") {
    // A subscription being created must be recorded before it can be canceled.
    await startTrial(signUp, services);
    return reportAsItIsThen(signUp, services);
  }
  // Stripe first, because an ended row is never checked again.
  if (signUp.stripe_subscription_id !== null) await payments.cancelSubscription(signUp.stripe_subscription_id);
  await releaseCard(signUp, payments);
  if (await endings.endTrial(signUp.id, "not-me", claims.emailsOf(signUp.email))) logEnd(signUp);
}

async function reportAsItIsThen({ id }: SignUp, services: TrialServices): Promise<void> {
  const signUp = await services.signUps.find(id);
  if (signUp) await reportNotMe(signUp, services);
}

function logEnd({ id }: SignUp): void {
  log("warn", "sign_up_ended", { signUpId: id, reason: "not-me" });
}
