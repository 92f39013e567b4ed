import * as z from "zod";
import type { Effects } from "../store/events";
import type { Subscription } from "../store/objects";
import type { Steps } from "../store/store";
import { finalizeInvoice, invoicesOf } from "./invoices";
import { chargeInvoice, endPeriod, endSubscription, hasEnded, periodEndOf } from "./renewals";
import { DAY, moveTime } from "./time";

/** A change that is due at a time. `at` is in seconds since 1970 on the account's clock. */
export type Step = { at: number; does: string; take(effects: Effects): void };

// The end of a shorter trial is announced when it begins:
// https://docs.stripe.com/api/events/types#event_types-customer.subscription.trial_will_end
const REMINDER_SECONDS = 3 * DAY;

/** More steps in one move mean an endless loop. */
const MOST_STEPS = 10_000;

export function nextStep(subscription: Subscription, effects: Effects): Step | undefined {
  if (hasEnded(subscription)) return undefined;
  const { status, cancel_at, created, trial_end, trial_start } = subscription;
  const { store } = effects;
  const announced = `trial's end announced ${subscription.id}`;
  const isAnnounced = status !== "trialing" || store.get(z.number(), "setting", announced) === trial_end;
  const steps: (Omit<Step, "at"> & { at: number | null })[] = [
    {
      at: isAnnounced ? null : Math.max(trial_start ?? created, (trial_end ?? 0) - REMINDER_SECONDS),
      does: "announce the trial's end",
      take: ({ emit }) => {
        store.set("setting", announced, trial_end);
        emit("customer.subscription.trial_will_end", subscription);
      },
    },
    { at: cancel_at, does: "cancel", take: (then) => endSubscription(subscription, "cancellation_requested", then) },
    { at: periodEndOf(subscription), does: "end the period", take: (then) => endPeriod(subscription, then) },
    ...invoicesOf(subscription, effects).map((invoice) => ({
      at: invoice.automatically_finalizes_at ?? invoice.next_payment_attempt,
      does: "charge the invoice",
      take: (then: Effects) => {
        const open = invoice.status === "draft" ? finalizeInvoice(invoice, then) : invoice;
        chargeInvoice(open, subscription, then);
      },
    })),
  ];
  return steps.flatMap(({ at, ...step }) => (at === null ? [] : [{ at, ...step }])).sort((a, b) => a.at - b.at)[0];
}

/** Takes the due steps of all subscriptions on one clock, in order of time. @param until seconds since 1970 */
export function advance(until: number, effects: Effects, steps: Steps = "step"): void {
  const { store } = effects;
  for (let count = 0; count < MOST_STEPS; count++) {
    const [first] = store.due(steps, 1);
    if (!first || first.due > until) return;
    const subscription = store.find("Subscription", first.name);
    const step = subscription && nextStep(subscription, effects);
    if (!step) store.remove(steps, first.name);
    // The step has moved because the subscription has changed, so another subscription's step may now be first.
    else if (step.at > first.due) store.set(steps, first.name, null, step.at);
    else {
      store.set(steps, first.name, null, 0);
      step.take(effects.at(step.at));
    }
  }
  throw new Error("The clock never arrives: too many steps");
}

export function moveClock(until: number, effects: Effects): void {
  advance(until, effects);
  moveTime(effects.store, until - effects.now);
}
