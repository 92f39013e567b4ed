import type { SignUp } from "../../sign-up";
import type { SetupIntent } from "../../stripe/card-setup";
import { FIRST_CHECK_AFTER_MS, fromNow, TRIAL_START_GRACE_MS } from "../timing";
import { endBeforeTrial } from "./end-sign-up";
import type { AdvanceServices, Transition } from "./transition";

/* One trial for each person and card. `../trial-hashes.ts` says which addresses and cards count as the same. */

/** Claims the trial for the email address and the card. If two sign-ups try at the same moment, only one gets the claims. */
export async function acceptCard(
  signUp: SignUp,
  setupIntent: SetupIntent,
  services: AdvanceServices,
): Promise<Transition> {
  const { signUps, trialHashes } = services;
  const email = trialHashes.ofEmail(signUp.email);
  if (await signUps.hasHadTrial(email, signUp.id)) return endBeforeTrial(signUp, "replaced");
  const card = trialHashes.ofCard(setupIntent.fingerprint);
  if (card !== null && (await signUps.hasHadTrial([card], signUp.id))) {
    return refuseUsedCard(signUp, setupIntent, card, services);
  }
  return {
    write: {
      columns: { status: "card_set_up", check_at: fromNow(TRIAL_START_GRACE_MS) },
      claims: card === null ? email : [...email, card],
    },
    setupIntent,
  };
}

/** Detaches a card that has had a trial, and waits for another one. @param card its hash */
async function refuseUsedCard(
  { id, used_cards }: SignUp,
  { paymentMethodId }: SetupIntent,
  card: string,
  { payments }: AdvanceServices,
): Promise<Transition> {
  if (paymentMethodId !== null) await payments.detachCard(paymentMethodId);
  return {
    write: {
      columns: {
        used_cards: used_cards + 1,
        stripe_setup_intent_id: null,
        check_at: fromNow(FIRST_CHECK_AFTER_MS),
      },
      messages: [{ kind: "card-used", card }],
    },
    log: ["info", "used_card_refused", { signUpId: id, usedCards: used_cards + 1 }],
  };
}
