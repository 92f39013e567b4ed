import type { Effects } from "../api/context";
import { previousAttributes, type Subscription } from "../store/objects";
import { closeInvoice, invoicesOf } from "./invoices";
import { schedule } from "./schedule";

/** Keeps it, plans what comes next, and tells of what has changed; does nothing when nothing has. */
export function updateSubscription(
  subscription: Subscription,
  changes: Partial<Subscription>,
  effects: Effects,
  event:
    | "customer.subscription.updated"
    | "customer.subscription.resumed"
    | "customer.subscription.paused" = "customer.subscription.updated",
): Subscription {
  const changed = effects.store.save("Subscription", { ...subscription, ...changes });
  schedule(changed, effects);
  const previous = previousAttributes(subscription, changed);
  if (!previous) return changed;
  effects.emit("customer.subscription.updated", changed, previous);
  if (event !== "customer.subscription.updated") effects.emit(event, changed);
  return changed;
}

/** Ends it at once. */
export function endSubscription(
  subscription: Subscription,
  reason: "cancellation_requested" | "payment_failed",
  effects: Effects,
): Subscription {
  const at = effects.now(subscription.customer);
  const ended = effects.store.save("Subscription", {
    ...subscription,
    status: subscription.status === "incomplete" ? "incomplete_expired" : "canceled",
    canceled_at: subscription.canceled_at ?? at,
    ended_at: at,
    cancellation_details: {
      comment: null,
      feedback: null,
      feedback_option: null,
      ...subscription.cancellation_details,
      reason,
    },
  });
  schedule(ended, effects);
  for (const invoice of invoicesOf(ended, effects).filter(({ status }) => status === "open" || status === "draft")) {
    if (ended.status === "incomplete_expired") closeInvoice(invoice, "void", effects);
    else effects.store.save("Invoice", { ...invoice, auto_advance: false, next_payment_attempt: null });
  }
  if (ended.status === "canceled") effects.emit("customer.subscription.deleted", ended);
  else effects.emit("customer.subscription.updated", ended, { status: subscription.status });
  return ended;
}

export const hasEnded = ({ status }: Pick<Subscription, "status">) =>
  status === "canceled" || status === "incomplete_expired";
