import type { SubscriptionStatus } from "../../../app/contract/subscription-response";
import { isBeforeTrial, type SignUp, termsOf } from "../sign-up";
import { PaymentsError } from "../stripe/client";
import { type Advanced, advance, advanceToCardForm, type advanceToWithdrawal } from "./transitions/advance";
import type { AdvanceServices } from "./transitions/transition";

/** Includes a card that was just entered: if no webhook has arrived yet, asks Stripe. */
export async function signUpStatus(
  id: string,
  services: AdvanceServices,
  advance: typeof advanceToWithdrawal = asItIsNow,
): Promise<SubscriptionStatus> {
  const stored = await services.signUps.find(id);
  if (!stored) return { status: "ended" };
  const { signUp, setupIntent } = isBeforeTrial(stored) ? await advance(stored, services) : { signUp: stored };
  switch (signUp?.status) {
    case "pending":
      return signUp.used_cards > 0 && setupIntent
        ? { status: "card_used", client_secret: setupIntent.clientSecret, ...termsOf(signUp) }
        : { status: "pending", ...termsOf(signUp) };
    case "card_set_up":
      return { status: "pending", ...termsOf(signUp) };
    case "active":
    case "trialing":
    case "past_due":
      return { status: "trial", trial_end: signUp.trial_end ?? undefined, ...termsOf(signUp) };
    default:
      return { status: "ended" };
  }
}

/** After a used card, the visitor gets a form for another one. */
async function asItIsNow(stored: SignUp, services: AdvanceServices): Promise<Advanced> {
  try {
    const found = await advance(stored, services);
    const { signUp, setupIntent } = found;
    const isWaiting = signUp?.status === "pending" && signUp.used_cards > 0 && setupIntent === undefined;
    return isWaiting ? await advanceToCardForm(signUp, services) : found;
  } catch (error) {
    // Another request is already processing the webhook.
    if (!(error instanceof PaymentsError) || error.reason !== "in-progress") throw error;
    return { signUp: await services.signUps.find(stored.id) };
  }
}
