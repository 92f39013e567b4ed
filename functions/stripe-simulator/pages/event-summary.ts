import { type Event, isObject } from "../store/objects";

const WORDS: Record<string, string> = {
  "customer.created": "Customer created",
  "customer.deleted": "Customer deleted",
  "customer.updated": "Customer changed",
  "customer.subscription.created": "Subscription started",
  "customer.subscription.deleted": "Subscription ended",
  "customer.subscription.trial_will_end": "Trial ending soon",
  "invoice.created": "Invoice drafted",
  "invoice.finalized": "Invoice finalized",
  "invoice.paid": "Invoice paid",
  "invoice.payment_failed": "Charge declined",
  "invoice.payment_succeeded": "Payment received",
  "invoice.upcoming": "Upcoming invoice",
  "payment_method.attached": "Card saved",
  "payment_method.detached": "Card removed",
  "setup_intent.created": "Card requested",
  "setup_intent.canceled": "Card request canceled",
  "setup_intent.requires_action": "The bank asks for authentication",
  "setup_intent.setup_failed": "Card refused",
  "setup_intent.succeeded": "Card set up",
};

export function summaryOf({ type, data }: Event): string {
  const { object, previous_attributes: previous = {} } = data;
  const words = WORDS[type] ?? type.replaceAll(/[._]/g, " ");
  if (isObject("Invoice", object)) return `${words}: $${(object.total / 100).toFixed(2)}`;
  if (!isObject("Subscription", object) || type !== "customer.subscription.updated") return words;
  if ("status" in previous) return `Subscription: ${String(previous.status)} → ${object.status}`;
  if ("cancel_at" in previous)
    return object.cancel_at === null ? "Cancellation reversed" : "Subscription will be canceled";
  if ("latest_invoice" in previous) return "New billing period";
  return `Subscription changed: ${Object.keys(previous).join(", ").replaceAll("_", " ")}`;
}
