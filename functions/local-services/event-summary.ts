import { type Event, isObject } from "../stripe-simulator/store/objects";

const WORDS: Record<string, string> = {
  "customer.created": "Customer created",
  "customer.deleted": "Customer deleted",
  "customer.updated": "Customer changed",
  "customer.subscription.created": "Subscription begins",
  "customer.subscription.deleted": "Subscription ends",
  "customer.subscription.trial_will_end": "The trial's end is announced",
  "invoice.created": "Draft of an invoice",
  "invoice.finalized": "Invoice finalized",
  "invoice.paid": "Invoice paid",
  "invoice.payment_failed": "Charge declined",
  "invoice.payment_succeeded": "Payment received",
  "invoice.upcoming": "The next invoice is announced",
  "payment_method.attached": "Card saved",
  "payment_method.detached": "Card removed",
  "setup_intent.created": "A card is asked for",
  "setup_intent.canceled": "No card is asked for any more",
  "setup_intent.requires_action": "The bank asks for authentication",
  "setup_intent.setup_failed": "Card refused",
  "setup_intent.succeeded": "Card set up",
};

/** What an event tells, for a person. */
export function summaryOf({ type, data }: Event): string {
  const { object, previous_attributes: previous = {} } = data;
  const words = WORDS[type] ?? type.replaceAll(/[._]/g, " ");
  if (isObject("Invoice", object)) return `${words}: $${(object.total / 100).toFixed(2)}`;
  if (!isObject("Subscription", object) || type !== "customer.subscription.updated") return words;
  if ("status" in previous) return `Subscription: ${String(previous.status)} → ${object.status}`;
  if ("cancel_at" in previous)
    return object.cancel_at === null ? "Cancellation taken back" : "Subscription will be canceled";
  if ("latest_invoice" in previous) return "The next period begins";
  return `Subscription changed: ${Object.keys(previous).join(", ").replaceAll("_", " ")}`;
}
