import type { CardEvent, WebhookContent } from "../stripe/events";
import { type AdvanceServices, advance, change } from "./advance";
import type { ProcessedEvents } from "./processed-events";
import { hasTooManyFailedCards, isBeforeTrial, type SignUp } from "./sign-up";
import { cardDeclined } from "./transitions";

export type SignUpEvent = Extract<WebhookContent, { event: unknown }>;

export type EventServices = AdvanceServices & { processedEvents: ProcessedEvents };

/** `unknown`: no sign-up is concerned. */
export type EventOutcome = SignUp["status"] | "deleted" | "unknown";

/** Asks Stripe how things stand: an event only names what has changed. Undefined if it was processed before. */
export async function handleStripeEvent(
  received: SignUpEvent,
  services: EventServices,
): Promise<EventOutcome | undefined> {
  const { processedEvents } = services;
  if (await processedEvents.has(received.event)) return undefined;
  const signUp = await signUpOf(received, services);
  const outcome = signUp === null ? "unknown" : ((await advance(signUp, services)).signUp?.status ?? "deleted");
  await processedEvents.add(received.event);
  return outcome;
}

/** Null if there is nothing to do for it. */
async function signUpOf(received: SignUpEvent, services: EventServices): Promise<SignUp | null> {
  const { signUps } = services;
  switch (received.status) {
    case "card-set-up": {
      const signUp = await signUps.find(received.card.signUpId);
      return signUp && isBeforeTrial(signUp) ? signUp : null;
    }
    case "card-declined":
      return countDeclined(received, received.card, services);
    case "subscription-changed": {
      const { stripeSubscriptionId, customerId } = received;
      const signUp = await signUps.findByStripe(stripeSubscriptionId, customerId);
      // A trial without a plan has none until now.
      return signUp && [stripeSubscriptionId, null].includes(signUp.stripe_subscription_id) ? signUp : null;
    }
  }
}

async function countDeclined(
  { event }: SignUpEvent,
  { signUpId, setupIntentId }: CardEvent,
  services: EventServices,
): Promise<SignUp | null> {
  const signUp = await change(signUpId, services, async (read) => {
    const isOfCard = read.stripe_setup_intent_id === setupIntentId && read.status === "pending";
    return isOfCard && !(await services.processedEvents.has(event)) ? cardDeclined(read, event) : undefined;
  });
  return signUp && isBeforeTrial(signUp) && hasTooManyFailedCards(signUp) ? signUp : null;
}
