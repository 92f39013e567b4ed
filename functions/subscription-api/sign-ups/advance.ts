import { log } from "../log";
import type { SetupIntent } from "../stripe/card-setup";
import { isCustomerOrCardMissing, PaymentsError } from "../stripe/client";
import { checkCard, prepareCardForm } from "./collect-card";
import { cleanUp, endBeforeTrial, endByNotMe, endTrialByNotMe } from "./end-sign-up";
import { isBeforeTrial, type SignUp } from "./sign-up";
import { type AdvanceServices, nothingLeftToDo, type Step, type TakeStep } from "./step";
import { followSubscription, startTrial } from "./trial";

/*
 * The states of a sign-up. Each arrow is a change that a step of the tables below writes.
 *
 * ```mermaid
 * stateDiagram-v2
 *   [*] --> pending: form accepted
 *   pending --> pending: card form made, card declined, used card refused
 *   pending --> card_set_up: card set up
 *   pending --> ended: replaced, cards-failed, card-removed, not-me
 *   pending --> [*]: 24 hours without a card
 *   card_set_up --> trialing: trial started
 *   card_set_up --> ended: card-removed
 *   trialing --> active: paid
 *   trialing --> past_due: payment failed
 *   active --> past_due: payment failed
 *   past_due --> active: paid
 *   trialing --> canceled: ended at Stripe, or not-me
 *   active --> canceled: ended at Stripe, or not-me
 *   past_due --> canceled: ended at Stripe, or not-me
 *   ended --> [*]: a day later
 * ```
 */

type Steps = Record<SignUp["status"], TakeStep>;

const STEPS: Steps = {
  pending: checkCard,
  card_set_up: startTrial,
  ended: cleanUp,
  trialing: followSubscription,
  active: followSubscription,
  past_due: followSubscription,
  canceled: nothingLeftToDo,
};

const STEPS_TO_CARD_FORM: Steps = {
  pending: prepareCardForm,
  card_set_up: startTrial,
  ended: cleanUp,
  trialing: followSubscription,
  active: followSubscription,
  past_due: followSubscription,
  canceled: nothingLeftToDo,
};

const STEPS_TO_NOT_ME: Steps = {
  pending: endByNotMe,
  // Stripe may have started the trial already, so it starts here too and then ends.
  card_set_up: startTrial,
  ended: cleanUp,
  trialing: endTrialByNotMe,
  active: endTrialByNotMe,
  past_due: endTrialByNotMe,
  canceled: endTrialByNotMe,
};

/** The sign-up after its steps; null if it was deleted. */
export type Advanced = {
  signUp: SignUp | null;
  /** Set if a step asked Stripe for it. */
  setupIntent?: SetupIntent;
};

/** Takes a sign-up as far as its card and Stripe allow. For webhooks, the cron handler and status requests. */
export function advance(signUp: SignUp, services: AdvanceServices): Promise<Advanced> {
  return takeSteps(STEPS, signUp, services);
}

/** Like `advance`, and creates a card form if the sign-up still needs a card. For the visitor. */
export function advanceToCardForm(signUp: SignUp, services: AdvanceServices): Promise<Advanced> {
  return takeSteps(STEPS_TO_CARD_FORM, signUp, services);
}

/** Ends the sign-up. For the owner of the email address, who did not sign up. */
export function advanceToNotMe(signUp: SignUp, services: AdvanceServices): Promise<Advanced> {
  return takeSteps(STEPS_TO_NOT_ME, signUp, services);
}

/** A sign-up never needs more than seven steps. */
const MOST_STEPS = 20;

/**
 * Takes steps until one is done. Each step reads and changes objects at Stripe, then writes its change only if the row is still as
 * it was read. If not, another caller was faster, and the row is read again. So steps can be repeated after a crash, and several
 * callers can take them at once. Throws PaymentsError and D1's errors.
 */
async function takeSteps(steps: Steps, given: SignUp, services: AdvanceServices): Promise<Advanced> {
  const { signUps } = services;
  let signUp: SignUp | null = given;
  let setupIntent: SetupIntent | undefined;
  for (let taken = 0; signUp !== null; taken += 1) {
    if (taken === MOST_STEPS) throw new Error("A sign-up changed each time it was read");
    const step: Step | undefined = await takeStep(steps, signUp, services, setupIntent);
    if (step && "done" in step) return { signUp, setupIntent: step.setupIntent };
    let written: SignUp | null = null;
    if (step && "write" in step) {
      written = await signUps.write(signUp, step.write);
      if (written && step.log) log(...step.log);
    } else if (step) {
      await signUps.delete(signUp);
    }
    // If the write failed because the row had changed, the next step asks Stripe again.
    setupIntent = written ? step?.setupIntent : undefined;
    signUp = written ?? (await signUps.find(signUp.id));
  }
  return { signUp: null };
}

/** Undefined if Stripe refused because another caller has changed the sign-up in the meantime. */
async function takeStep(
  steps: Steps,
  signUp: SignUp,
  services: AdvanceServices,
  setupIntent: SetupIntent | undefined,
): Promise<Step | undefined> {
  const { signUps } = services;
  try {
    return await steps[signUp.status](signUp, services, setupIntent);
  } catch (error) {
    if (!(error instanceof PaymentsError)) throw error;
    if (error.reason === "failed") {
      // Stripe would repeat its failure for this attempt's idempotency keys.
      await signUps.write(signUp, { columns: { stripe_attempt: signUp.stripe_attempt + 1 } });
      throw error;
    }
    if ((await signUps.find(signUp.id))?.version !== signUp.version) return undefined;
    if (isBeforeTrial(signUp) && isCustomerOrCardMissing(error)) return endBeforeTrial(signUp, "card-removed");
    throw error;
  }
}
