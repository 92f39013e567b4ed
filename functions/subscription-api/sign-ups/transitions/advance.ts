import { log } from "../../log";
import { isBeforeTrial, type SignUp } from "../../sign-up";
import type { SetupIntent } from "../../stripe/card-setup";
import { isCustomerOrCardMissing, PaymentsError } from "../../stripe/client";
import { checkCard, prepareCardForm, withdraw } from "./collect-card";
import { cleanUp, endBeforeTrial, endByNotMe, endTrialByNotMe, followLateSubscription } from "./end-sign-up";
import type { AdvanceServices, MakeTransition, Transition } from "./transition";
import { followSubscription, startTrial } from "./trial";

/*
 * The states of a sign-up. The transitions below write these changes, except the first one and a declined card.
 *
 * ```mermaid
 * stateDiagram-v2
 *   [*] --> pending: form accepted
 *   pending --> pending: card form made, card declined, used card refused
 *   pending --> card_set_up: card set up
 *   pending --> ended: replaced, withdrawn, cards-failed, card-removed, not-me
 *   pending --> [*]: 24 hours without a card
 *   card_set_up --> trialing: trial started
 *   card_set_up --> ended: card-removed, not-me
 *   card_set_up --> past_due: payment failed
 *   card_set_up --> canceled: ended at Stripe, or paid and not-me
 *   trialing --> active: paid
 *   trialing --> past_due: payment failed
 *   active --> past_due: payment failed
 *   past_due --> active: paid
 *   trialing --> canceled: ended at Stripe, or not-me
 *   active --> canceled: ended at Stripe, or not-me
 *   past_due --> canceled: ended at Stripe, or not-me
 *   canceled --> active: sales subscribed a customer without a plan after the trial
 *   ended --> [*]: a day later
 * ```
 */

type Transitions = Record<SignUp["status"], MakeTransition>;

const TRANSITIONS: Transitions = {
  pending: checkCard,
  card_set_up: startTrial,
  ended: cleanUp,
  trialing: followSubscription,
  active: followSubscription,
  past_due: followSubscription,
  canceled: followLateSubscription,
};

const TRANSITIONS_TO_CARD_FORM: Transitions = { ...TRANSITIONS, pending: prepareCardForm };
const TRANSITIONS_TO_WITHDRAWAL: Transitions = { ...TRANSITIONS, pending: withdraw };

/** With a card that is set up, Stripe may have started the trial already. */
const TRANSITIONS_TO_NOT_ME: Transitions = {
  ...TRANSITIONS,
  pending: endByNotMe,
  card_set_up: endTrialByNotMe,
  trialing: endTrialByNotMe,
  active: endTrialByNotMe,
  past_due: endTrialByNotMe,
  canceled: endTrialByNotMe,
};

export type Advanced = {
  signUp: SignUp | null;
  /** Set if a transition asked Stripe for it. */
  setupIntent?: SetupIntent;
};

/** Takes a sign-up as far as its card and Stripe allow. For webhooks, the cron handler and status requests. */
export function advance(signUp: SignUp, services: AdvanceServices): Promise<Advanced> {
  return makeTransitions(TRANSITIONS, signUp, services);
}

/** Like `advance`, and creates a card form if the sign-up still needs a card. For the visitor. */
export function advanceToCardForm(signUp: SignUp, services: AdvanceServices): Promise<Advanced> {
  return makeTransitions(TRANSITIONS_TO_CARD_FORM, signUp, services);
}

/** Ends the sign-up unless its card is processed or set up. For the visitor, who replaces it or starts over. */
export function advanceToWithdrawal(signUp: SignUp, services: AdvanceServices): Promise<Advanced> {
  return makeTransitions(TRANSITIONS_TO_WITHDRAWAL, signUp, services);
}

/** Ends the sign-up. For the owner of the email address, who did not sign up. */
export function advanceToNotMe(signUp: SignUp, services: AdvanceServices): Promise<Advanced> {
  return makeTransitions(TRANSITIONS_TO_NOT_ME, signUp, services);
}

/** A sign-up never needs more than seven transitions. */
const MOST_TRANSITIONS = 20;

/**
 * Makes transitions until nothing is left to do. Each writes its change only if the row is still as it was read; otherwise the
 * row is read again. So transitions can be repeated, even by several callers at once. Throws PaymentsError and D1's errors.
 */
async function makeTransitions(transitions: Transitions, given: SignUp, services: AdvanceServices): Promise<Advanced> {
  const { signUps } = services;
  let signUp: SignUp | null = given;
  let setupIntent: SetupIntent | undefined;
  for (let made = 0; signUp !== null; made += 1) {
    if (made === MOST_TRANSITIONS) throw new Error("A sign-up changed each time it was read");
    const transition: Transition | undefined = await makeTransition(transitions, signUp, services, setupIntent);
    if (transition && "done" in transition) return { signUp, setupIntent: transition.setupIntent };
    let written: SignUp | null = null;
    if (transition && "write" in transition) {
      written = await signUps.write(signUp, transition.write);
      if (written && transition.log) log(...transition.log);
      if (written) await transition.afterWrite?.();
    } else if (transition) {
      await signUps.delete(signUp);
    }
    // If the write failed because the row had changed, the next transition asks Stripe again.
    setupIntent = written ? transition?.setupIntent : undefined;
    signUp = written ?? (await signUps.find(signUp.id));
  }
  return { signUp: null };
}

/** Undefined if Stripe refused because another caller has changed the sign-up in the meantime. */
async function makeTransition(
  transitions: Transitions,
  signUp: SignUp,
  services: AdvanceServices,
  setupIntent: SetupIntent | undefined,
): Promise<Transition | undefined> {
  const { signUps } = services;
  try {
    return await transitions[signUp.status](signUp, services, setupIntent);
  } catch (error) {
    if (!(error instanceof PaymentsError)) throw error;
    if ((await signUps.find(signUp.id))?.version !== signUp.version) return undefined;
    if (isBeforeTrial(signUp) && isCustomerOrCardMissing(error)) return endBeforeTrial(signUp, "card-removed");
    if (error.needsNewKey) await signUps.write(signUp, { columns: { stripe_attempt: signUp.stripe_attempt + 1 } });
    throw error;
  }
}
