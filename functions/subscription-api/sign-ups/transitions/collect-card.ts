import { MAX_FAILED_CARDS } from "../../../../app/contract/trial";
import type { SignUp } from "../../sign-up";
import type { SetupIntent } from "../../stripe/card-setup";
import { mayExist } from "../../stripe/client";
import { CONTINUED_UNTIL_MS, isPastEnd, PROCESSED_UNTIL_MS } from "../timing";
import { acceptCard } from "./accept-card";
import { deleteCustomer, endBeforeTrial } from "./end-sign-up";
import type { AdvanceServices, Transition } from "./transition";

export function hasTooManyFailedCards({ declined_cards, used_cards }: SignUp): boolean {
  return declined_cards + used_cards >= MAX_FAILED_CARDS;
}

/** Takes the card if one was set up. Deletes the sign-up at its end. */
export async function checkCard(signUp: SignUp, services: AdvanceServices, known?: SetupIntent): Promise<Transition> {
  if (hasTooManyFailedCards(signUp)) return endBeforeTrial(signUp, "cards-failed");
  if (isPastEnd(signUp)) return deleteUnfinished(signUp, services);
  const setupIntent = known ?? (await services.payments.findSetupIntent(signUp.stripe_setup_intent_id));
  return setupIntent ? judge(signUp, setupIntent, services) : findLostCardForm(signUp, services);
}

/** Like `checkCard`, but creates a setup intent if there is none. In the last five minutes it deletes the sign-up. */
export async function prepareCardForm(
  signUp: SignUp,
  services: AdvanceServices,
  known?: SetupIntent,
): Promise<Transition> {
  const { payments } = services;
  if (hasTooManyFailedCards(signUp)) return endBeforeTrial(signUp, "cards-failed");
  if (isPastEnd(signUp, CONTINUED_UNTIL_MS)) return deleteUnfinished(signUp, services);
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

export async function withdraw(signUp: SignUp, services: AdvanceServices): Promise<Transition> {
  if (hasTooManyFailedCards(signUp)) return endBeforeTrial(signUp, "cards-failed");
  return (await closeCardForm(signUp, services)) ?? endBeforeTrial(signUp, "withdrawn");
}

async function deleteUnfinished(signUp: SignUp, services: AdvanceServices): Promise<Transition> {
  const lastCard = await closeCardForm(signUp, services);
  const mayWait = !isPastEnd(signUp, PROCESSED_UNTIL_MS);
  if (lastCard && (mayWait || !("done" in lastCard))) return lastCard;
  await deleteCustomer(signUp, services.payments);
  return { remove: true };
}

/** Cancels the setup intent, so that no card can be set up anymore. If a card was faster, returns the transition that it leads to. */
async function closeCardForm(signUp: SignUp, services: AdvanceServices): Promise<Transition | undefined> {
  if (signUp.stripe_setup_intent_id === null) {
    // Its card may have begun a trial that a restored database does not know.
    const lost = await findLostCardForm(signUp, services);
    return "write" in lost ? lost : undefined;
  }
  const last = await services.payments.cancelSetupIntent(signUp.stripe_setup_intent_id);
  if (last && hasOwnCard(signUp, last)) return acceptCard(signUp, last, services);
  return last?.status === "processing" ? { done: true, setupIntent: last } : undefined;
}
