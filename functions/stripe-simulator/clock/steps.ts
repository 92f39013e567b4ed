import * as z from "zod";
import type { Effects } from "../store/events";
import type { Invoice, Subscription } from "../store/objects";
import { finalizeInvoice, invoicesOf } from "./invoices";
import { chargeInvoice, endPeriod, endSubscription, hasEnded, periodEndOf } from "./subscriptions";
import { DAY, setTime } from "./time";

/** Something that time does to a subscription. `at`: seconds since 1970 on the account's clock. */
export type Step = { at: number; does: string; take(effects: Effects): void };

/** A shorter trial is announced when it begins: https://docs.stripe.com/api/events/types#event_types-customer.subscription.trial_will_end */
const REMINDER_SECONDS = 3 * DAY;

/** More in one move means an endless loop. */
const MOST_STEPS = 10_000;

/** All that time will do to a subscription as it is, the earliest first. */
function stepsOf(subscription: Subscription, effects: Effects): Step[] {
  const { id, status, cancel_at, created, trial_end, trial_start } = subscription;
  if (hasEnded(subscription)) return [];
  const { store } = effects;
  const reminded = `trial's end announced ${id}`;
  const steps: Step[] = [];
  if (trial_end !== null && status === "trialing" && store.get(z.number(), "setting", reminded) !== trial_end) {
    const at = Math.max(trial_start ?? created, trial_end - REMINDER_SECONDS);
    const remind = ({ emit }: Effects) => {
      store.set("setting", reminded, trial_end);
      emit("customer.subscription.trial_will_end", subscription);
    };
    steps.push({ at, does: "remind of the trial's end", take: remind });
  }
  if (cancel_at !== null) {
    const cancel = (then: Effects) => endSubscription(subscription, "cancellation_requested", then);
    steps.push({ at: cancel_at, does: "cancel", take: cancel });
  }
  if (status === "trialing" || status === "active" || status === "past_due") {
    steps.push({
      at: periodEndOf(subscription),
      does: "end the period",
      take: (then) => endPeriod(subscription, then),
    });
  }
  for (const invoice of invoicesOf(subscription, effects)) steps.push(...invoiceSteps(invoice, subscription));
  return steps.sort((a, b) => a.at - b.at);
}

function invoiceSteps(invoice: Invoice, subscription: Subscription): Step[] {
  const { status, automatically_finalizes_at: finalizes, next_payment_attempt: retries } = invoice;
  if (status === "draft" && finalizes !== null) {
    const charge = (then: Effects) => chargeInvoice(finalizeInvoice(invoice, then), subscription, then);
    return [{ at: finalizes, does: "charge the invoice", take: charge }];
  }
  if (status !== "open" || retries === null) return [];
  return [{ at: retries, does: "try the charge again", take: (then) => chargeInvoice(invoice, subscription, then) }];
}

export function nextStep(subscription: Subscription, effects: Effects): Step | undefined {
  return stepsOf(subscription, effects)[0];
}

/** Takes all steps that are due, of all subscriptions in their order. @param until seconds since 1970 */
export function advance(until: number, effects: Effects): void {
  const { store } = effects;
  for (let count = 0; count < MOST_STEPS; count++) {
    const [first] = store.due("step", 1);
    if (!first || first.due > until) return;
    const subscription = store.find("Subscription", first.name);
    const step = subscription && nextStep(subscription, effects);
    if (!step) store.remove("step", first.name);
    // The subscription has changed since, and another one may be earlier.
    else if (step.at > first.due) store.set("step", first.name, null, step.at);
    else {
      store.set("step", first.name, null, 0);
      step.take(effects.at(step.at));
    }
  }
  throw new Error("The clock does not arrive");
}

export function moveClock(until: number, effects: Effects): void {
  advance(until, effects);
  setTime(effects.store, until);
}
