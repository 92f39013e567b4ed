import type { TrialClaims } from "../limits/trial-claims";
import { log } from "../log";
import { endPendingSignUp, type FailedCardServices, releaseCard } from "./failed-cards";
import type { SignUp } from "./sign-up";

export type ReportNotMeServices = FailedCardServices & { claims: TrialClaims };

/** At Stripe first, so that a repetition finishes it. The address is free again; the card still counts as used. */
export async function reportNotMe(signUp: SignUp, services: ReportNotMeServices): Promise<void> {
  const { claims, endings, payments } = services;
  if (signUp.end_reason !== null || signUp.status === "superseded") return;
  if (signUp.status === "pending") {
    await endPendingSignUp(signUp, "not-me", services);
    return;
  }
  if (signUp.stripe_subscription_id !== null) await payments.cancelSubscription(signUp.stripe_subscription_id);
  await releaseCard(signUp, payments);
  if (await endings.endTrial(signUp.id, "not-me", claims.emailsOf(signUp.email))) {
    log("warn", "sign_up_ended", { signUpId: signUp.id, reason: "not-me" });
  }
}
