import { MAX_FAILED_CARDS } from "../../../app/contract/trial";
import { log } from "../log";
import { hasStartedTrial, type SignUp } from "../sign-up";
import type { CardEvent, CreatedCustomer, StripeEvent } from "../stripe/webhook-events";
import type { WebhookContent } from "../stripe/webhook-signature";
import type { Change } from "./store";
import { CONTINUED_UNTIL_MS, CUSTOMER_MAY_ARRIVE_MS, isPast, isPastEnd, now } from "./timing";
import { advance } from "./transitions/advance";
import { hasTooManyFailedCards } from "./transitions/collect-card";
import type { AdvanceServices } from "./transitions/transition";

export type SignUpEvent = Extract<WebhookContent, { event: unknown }>;

/** `unknown`: no sign-up, or nothing to do for it, as after a declined card that is not the last one. */
export type EventOutcome = SignUp["status"] | "deleted" | "unknown";

/** Reads the current state from Stripe, because an event only names what has changed. A repeated event finds nothing to do. */
export async function handleStripeEvent(received: SignUpEvent, services: AdvanceServices): Promise<EventOutcome> {
  const signUp = await signUpOf(received, services);
  return signUp === null ? "unknown" : ((await advance(signUp, services)).signUp?.status ?? "deleted");
}

async function signUpOf(received: SignUpEvent, services: AdvanceServices): Promise<SignUp | null> {
  const { signUps } = services;
  switch (received.kind) {
    case "card-set-up": {
      const signUp = await signUps.find(received.card.signUpId);
      return signUp && !hasStartedTrial(signUp) ? signUp : null;
    }
    case "customer-created":
      return deletingOf(received.customer, services);
    case "card-declined":
      return countDeclined(received, received.card, services);
    case "subscription-changed": {
      const { stripeSubscriptionId, customerId } = received;
      // Also for another subscription than the recorded one, which may have to end.
      return signUps.findByStripe(stripeSubscriptionId, customerId);
    }
  }
}

/** Deletes the customer if its sign-up is gone. A sign-up that is being deleted may not have found its customer. */
async function deletingOf(customer: CreatedCustomer, services: AdvanceServices): Promise<SignUp | null> {
  const signUp = await services.signUps.find(customer.signUpId);
  if (signUp !== null) return isPastEnd(signUp, CONTINUED_UNTIL_MS) ? signUp : null;
  await deleteLateCustomer(customer, services);
  return null;
}

/** A restored database lacks sign-ups, so an older event, or a customer who has had a trial, deletes nothing. */
async function deleteLateCustomer(customer: CreatedCustomer, { payments }: AdvanceServices): Promise<void> {
  const { customerId, signUpId, createdAt } = customer;
  if (!payments.isOurs(customer) || isPast(createdAt, CUSTOMER_MAY_ARRIVE_MS)) return;
  if ((await payments.hasCustomerHadTrial(customerId)) !== false) return;
  await payments.deleteCustomer(customerId);
  log("warn", "late_customer_deleted", { signUpId });
}

async function countDeclined(
  { event }: SignUpEvent,
  { signUpId, setupIntentId }: CardEvent,
  services: AdvanceServices,
): Promise<SignUp | null> {
  const signUp = await services.signUps.change(signUpId, (read) => {
    const isAboutItsCard = read.stripe_setup_intent_id === setupIntentId && read.status === "pending";
    return isAboutItsCard ? countOnce(read, event) : undefined;
  });
  return signUp && !hasStartedTrial(signUp) && hasTooManyFailedCards(signUp) ? signUp : null;
}

/** Undefined if this event was already counted, because Stripe may deliver an event more than once. */
function countOnce(signUp: SignUp, { id }: StripeEvent): Change | undefined {
  const counted = signUp.declined_events.split(" ");
  if (counted.includes(id)) return undefined;
  const declined_cards = signUp.declined_cards + 1;
  const declined_events = [...counted, id].slice(-MAX_FAILED_CARDS).join(" ").trim();
  // After the last card, the cron handler ends the sign-up if this request does not.
  const isLast = hasTooManyFailedCards({ ...signUp, declined_cards });
  return { columns: { declined_cards, declined_events, ...(isLast && { check_at: now() }) } };
}
