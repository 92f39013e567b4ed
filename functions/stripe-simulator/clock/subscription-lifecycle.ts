import type { Effects } from "../api/operation-context";
import { previousAttributes, type Subscription } from "../store/objects";
import { invoicesOf } from "./invoicing";
import { schedule } from "./schedule";

/** Saves changes, reschedules the next step, and emits an event if anything has changed. */
export function updateSubscription(
  subscription: Subscription,
  changes: Partial<Subscription>,
  effects: Effects,
  event: "customer.subscription.updated" | "customer.subscription.paused" = "customer.subscription.updated",
): Subscription {
  const changed = effects.store.save("Subscription", { ...subscription, ...changes });
  schedule(changed, effects);
  const previous = previousAttributes(subscription, changed);
  if (!previous) return changed;
  effects.emit("customer.subscription.updated", changed, previous);
  if (event !== "customer.subscription.updated") effects.emit(event, changed);
  return changed;
}

export function endSubscription(
  subscription: Subscription,
  reason: "cancellation_requested" | "payment_failed",
  effects: Effects,
): Subscription {
  const at = effects.now(subscription.customer);
  const ended = effects.store.save("Subscription", {
    ...subscription,
    status: "canceled",
    canceled_at: subscription.canceled_at ?? at,
    ended_at: at,
    ...cancellationDetails(subscription, reason),
  });
  schedule(ended, effects);
  for (const invoice of invoicesOf(ended, effects).filter(({ status }) => status === "open" || status === "draft")) {
    effects.store.save("Invoice", { ...invoice, auto_advance: false, next_payment_attempt: null });
  }
  effects.emit("customer.subscription.deleted", ended);
  return ended;
}

export function cancellationDetails(
  { cancellation_details: known }: Subscription,
  reason: "cancellation_requested" | "payment_failed" | null,
): Pick<Subscription, "cancellation_details"> {
  return { cancellation_details: { comment: null, feedback: null, feedback_option: null, ...known, reason } };
}

export function withPeriod({ items }: Subscription, start: number, end: number): Pick<Subscription, "items"> {
  const period = { current_period_start: start, current_period_end: end };
  return { items: { ...items, data: items.data.map((item) => ({ ...item, ...period })) } };
}

export const hasEnded = ({ status }: Pick<Subscription, "status">) => status === "canceled";
