import { MAX_FAILED_CARDS } from "../../../../app/contract/trial";
import type { SignUp } from "../../sign-up";
import type { SetupIntent } from "../../stripe/card-setup";
import { mayExist } from "../../stripe/client";
import { ABANDONED_AFTER_MS, CONTINUED_FOR_MS, isOlderThan, PROCESSED_WITHIN_MS } from "../timing";
import { acceptCard } from "./accept-card";
import { deleteCustomer, endBeforeTrial } from "./end-sign-up";
import type { AdvanceServices, Transition } from "./transition";

/* The transitions of a pending sign-up, from the form to its card. */

export function hasTooManyFailedCards({ declined_cards, used_cards }: SignUp): boolean {
  return declined_cards + used_cards >= MAX_FAILED_CARDS;
}

/** Takes the card if one was set up. Deletes the sign-up after 24 hours without one. */
export async function checkCard(signUp: SignUp, services: AdvanceServices, known?: SetupIntent): Promise<Transition> {
  if (hasTooManyFailedCards(signUp)) return endBeforeTrial(signUp, "cards-failed");
  if (isOlderThan(signUp, ABANDONED_AFTER_MS)) return deleteUnfinished(signUp, services);
  const setupIntent = known ?? (await services.payments.findSetupIntent(signUp.stripe_setup_intent_id));
  return setupIntent ? judge(signUp, setupIntent, services) : findLostCardForm(signUp, services);
}

/** Like `checkCard`, but creates a setup intent if there is none. In the last five minutes of the 24 hours it deletes the sign-up. */
export async function prepareCardForm(
  signUp: SignUp,
  services: AdvanceServices,
  known?: SetupIntent,
): Promise<Transition> {
  const { payments } = services;
  if (hasTooManyFailedCards(signUp)) return endBeforeTrial(signUp, "cards-failed");
  if (isOlderThan(signUp, CONTINUED_FOR_MS)) return deleteUnfinished(signUp, services);
  const setupIntent = known ?? (await payments.findSetupIntent(signUp.stripe_setup_intent_id));
  if (setupIntent) return judge(signUp, setupIntent, services);
  const customerId = signUp.stripe_customer_id ?? (await payments.findOrCreateCustomer(signUp));
  return record(customerId, await payments.findOrCreateSetupIntent(signUp, customerId));
}

async function judge(signUp: SignUp, setupIntent: SetupIntent, services: AdvanceServices): Promise<Transition> {
  if (hasOwnCard(signUp, setupIntent)) return acceptCard(signUp, setupIntent, services);
  if (setupIntent.status === "canceled") return deleteUnfinished(signUp, services);
  return { done: true, setupIntent };
}

/** False for a card that belongs to another sign-up or customer. */
function hasOwnCard({ id, stripe_customer_id }: SignUp, { status, signUpId, customerId }: SetupIntent): boolean {
  return status === "succeeded" && signUpId === id && customerId === stripe_customer_id;
}

/** Looks for Stripe objects that the row does not know, because an answer was lost or the database was restored. */
async function findLostCardForm(signUp: SignUp, { payments }: AdvanceServices): Promise<Transition> {
  if (!mayExist(signUp)) return { done: true };
  const customerId = signUp.stripe_customer_id ?? (await payments.findCustomer(signUp));
  if (customerId === undefined) return { done: true };
  const setupIntent = await payments.findSetupIntentOf(signUp, customerId);
  return setupIntent ? record(customerId, setupIntent) : { done: true };
}

function record(customerId: string, setupIntent: SetupIntent): Transition {
  return {
    write: { columns: { stripe_customer_id: customerId, stripe_setup_intent_id: setupIntent.id } },
    // Once it has a card, ask Stripe again: a setup intent from a list lacks the card's fingerprint.
    setupIntent: setupIntent.status === "open" ? setupIntent : undefined,
  };
}

/** Cancels the setup intent first, so that no card can be set up anymore, and deletes the customer before the row. */
async function deleteUnfinished(signUp: SignUp, services: AdvanceServices): Promise<Transition> {
  const { payments } = services;
  if (signUp.stripe_setup_intent_id !== null) {
    const last = await payments.cancelSetupIntent(signUp.stripe_setup_intent_id);
    if (last && hasOwnCard(signUp, last)) return acceptCard(signUp, last, services);
    const mayWait = !isOlderThan(signUp, PROCESSED_WITHIN_MS);
    if (last?.status === "processing" && mayWait) return { done: true, setupIntent: last };
  }
  await deleteCustomer(signUp, payments);
  return { remove: true };
}
