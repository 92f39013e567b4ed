import { PaymentsError } from "../../stripe/client";
import type { SignUp } from "../sign-up";
import { handleCardSetUp, type TrialServices } from "../start-trial";

const KEPT_PENDING = 50;

/** More than one, so that the backlog shrinks with each new sign-up. */
const GIVEN_UP_AT_ONCE = 2;

export async function replaceSignUp(idempotencyKey: string, services: TrialServices): Promise<void> {
  const replaced = await services.signUps.findByKey(idempotencyKey);
  if (replaced?.status === "pending") await giveUp(replaced, services);
}

export async function giveUpOldest(email: string, services: TrialServices): Promise<void> {
  const oldest = await services.signUps.findPending(email, { limit: GIVEN_UP_AT_ONCE, offset: KEPT_PENDING });
  for (const signUp of oldest) await giveUp(signUp, services);
}

/** Cancels at Stripe first, so that no card can be set up. If Stripe fails, the cron handler deletes the customer. */
async function giveUp(signUp: SignUp, services: TrialServices): Promise<void> {
  const { lifecycle, payments } = services;
  try {
    const setupIntent = await payments.findSetupIntent(signUp.stripe_setup_intent_id);
    if (setupIntent?.state === "succeeded") {
      const outcome = await handleCardSetUp(signUp, setupIntent, services);
      if (outcome !== "pending") return;
    }
    if (setupIntent?.state === "open") await payments.cancelSetupIntent(setupIntent.id);
  } catch (error) {
    if (!(error instanceof PaymentsError)) throw error;
  }
  await lifecycle.replace(signUp.id);
}
