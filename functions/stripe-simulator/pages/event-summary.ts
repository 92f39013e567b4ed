import { type Event, isObject } from "../store/objects";

export function summaryOf({ type, data }: Event): string {
  const { object, previous_attributes: previous = {} } = data;
  const words = type.replaceAll(/[._]/g, " ");
  if (isObject("Invoice", object)) return `${words}: $${(object.total / 100).toFixed(2)}`;
  if (!isObject("Subscription", object) || type !== "customer.subscription.updated") return words;
  if ("status" in previous) return `Subscription: ${String(previous.status)} → ${object.status}`;
  if ("cancel_at" in previous)
    return object.cancel_at === null ? "Cancellation reversed" : "Subscription will be canceled";
  if ("latest_invoice" in previous) return "New billing period";
  return `Subscription changed: ${Object.keys(previous).join(", ").replaceAll("_", " ")}`;
}
