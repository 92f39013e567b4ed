import type { Effects } from "../api/context";
import type { Invoice, Subscription } from "../store/objects";
import { invoicesOf } from "./invoicing";
import { clockOf, DAY, HOUR } from "./time";

/** `at`: seconds since 1970 on the customer's clock. */
export type Step =
  | {
      at: number;
      does: "remind of the trial's end" | "announce the next invoice" | "cancel" | "end the period" | "expire";
    }
  | { at: number; does: "finalize" | "retry"; invoice: Invoice };

const REMINDER_SECONDS = 3 * DAY;
const UPCOMING_SECONDS = 7 * DAY;
const INCOMPLETE_SECONDS = 23 * HOUR;

/** A trial under seven days is announced when it begins: https://docs.stripe.com/billing/subscriptions/trials/manage-trial-compliance */
const SHORT_TRIAL_SECONDS = 7 * DAY;

/** Settings that hold the last trial or period end that was announced. */
export const reminded = (id: string) => `reminded/${id}`;
export const announced = (id: string) => `announced/${id}`;

export function schedule(subscription: Subscription, effects: Effects): void {
  const customer = effects.store.find("Customer", subscription.customer);
  effects.store.saveDue(subscription.id, clockOf(customer), nextStep(subscription, effects)?.at ?? null);
}

/** The earliest step; at the same time, the first in this order. */
export function nextStep(subscription: Subscription, effects: Effects): Step | undefined {
  const { id, status, cancel_at, created, trial_end, trial_start } = subscription;
  const steps: Step[] = [];
  if (status === "incomplete") steps.push({ at: created + INCOMPLETE_SECONDS, does: "expire" });
  if (status === "trialing" || status === "active" || status === "past_due") {
    const [item] = subscription.items.data;
    const end = item?.current_period_end ?? created;
    if (status === "trialing" && trial_end !== null && effects.store.setting(reminded(id)) !== trial_end) {
      const start = trial_start ?? created;
      const isShort = trial_end - start < SHORT_TRIAL_SECONDS;
      steps.push({ at: isShort ? start : trial_end - REMINDER_SECONDS, does: "remind of the trial's end" });
    }
    const announceAt = end - UPCOMING_SECONDS;
    const isLong = announceAt >= (item?.current_period_start ?? created);
    if (isLong && cancel_at === null && effects.store.setting(announced(id)) !== end) {
      steps.push({ at: announceAt, does: "announce the next invoice" });
    }
    if (cancel_at !== null) steps.push({ at: cancel_at, does: "cancel" });
    steps.push({ at: end, does: "end the period" });
  }
  for (const invoice of subscription.ended_at !== null ? [] : invoicesOf(subscription, effects)) {
    const { automatically_finalizes_at: finalizes, next_payment_attempt: retries } = invoice;
    if (invoice.status === "draft" && finalizes !== null) steps.push({ at: finalizes, does: "finalize", invoice });
    if (invoice.status === "open" && retries !== null) steps.push({ at: retries, does: "retry", invoice });
  }
  return steps.sort((a, b) => a.at - b.at)[0];
}
