import { type Event, isObject } from "../store/objects";

/** An event's details: an invoice's total or a subscription's changes. */
export function detailOf({ type, data }: Event): string {
  const { object, previous_attributes: previous = {} } = data;
  if (isObject("Invoice", object)) return `$${(object.total / 100).toFixed(2)}`;
  if (!isObject("Subscription", object) || type !== "customer.subscription.updated") return "";
  if ("status" in previous) return `${String(previous.status)} → ${object.status}`;
  if ("cancel_at" in previous) return object.cancel_at === null ? "cancellation reversed" : "will be canceled";
  if ("latest_invoice" in previous) return "new billing period";
  return Object.keys(previous).join(", ");
}
