import type { Effects } from "../api/operation-context";
import type { Invoice, Subscription } from "../store/objects";
import { invoicesOf } from "./invoicing";
import { clockOf, DAY } from "./time";

/** `at`: seconds since 1970 on the customer's clock. */
export type Step =
  | {
      at: number;
      does: "remind of the trial's end" | "cancel" | "end the period";
    }
  | { at: number; does: "finalize" | "retry"; invoice: Invoice };

/** A shorter trial is announced when it begins: https://docs.stripe.com/api/events/types#event_types-customer.subscription.trial_will_end */
const REMINDER_SECONDS = 3 * DAY;

/** A setting that holds the last trial end that was announced. */
export const reminded = (id: string) => `reminded/${id}`;

export function schedule(subscription: Subscription, effects: Effects): void {
  const customer = effects.store.find("Customer", subscription.customer);
  effects.store.saveDue(subscription.id, clockOf(customer), nextStep(subscription, effects)?.at ?? null);
}

/** The earliest step; at the same time, the first in this order. */
export function nextStep(subscription: Subscription, effects: Effects): Step | undefined {
  const { id, status, cancel_at, created, trial_end, trial_start } = subscription;
  const steps: Step[] = [];
  if (status === "trialing" || status === "active" || status === "past_due") {
    const end = subscription.items.data[0]?.current_period_end ?? created;
    if (status === "trialing" && trial_end !== null && effects.store.setting(reminded(id)) !== trial_end) {
      const at = Math.max(trial_start ?? created, trial_end - REMINDER_SECONDS);
      steps.push({ at, does: "remind of the trial's end" });
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
