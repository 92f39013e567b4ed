import type { Effects } from "../api/operation-context";
import { newId } from "../store/ids";
import type { Invoice, Subscription } from "../store/objects";
import { chargeInvoice, collectInvoice } from "./charge-invoices";
import { cardToCharge, createInvoice, draftInvoice } from "./invoicing";
import { nextStep, reminded, type Step, schedule } from "./schedule";
import { endSubscription, updateSubscription, withPeriod } from "./subscription-lifecycle";
import { monthAfter } from "./time";

/** More in one move means an endless loop. */
const MOST_STEPS = 10_000;

/** Takes all steps due on a clock, in order. @param until seconds since 1970 */
export function advance(clock: string, until: number, effectsAt: (time: number) => Effects): void {
  for (let count = 0; count < MOST_STEPS; count++) {
    const { store } = effectsAt(until);
    const due = store.nextDue(clock);
    if (!due || due.at > until) return;
    const effects = effectsAt(due.at);
    const subscription = store.find("Subscription", due.subscription);
    const step = subscription && nextStep(subscription, effects);
    if (subscription && step && step.at <= until) take(step, subscription, effects);
    const after = store.find("Subscription", due.subscription);
    if (after) schedule(after, effects);
    else store.saveDue(due.subscription, clock, null);
  }
  throw new Error("The clock does not arrive");
}

function take(step: Step, subscription: Subscription, effects: Effects): void {
  const { store, emit } = effects;
  switch (step.does) {
    case "remind of the trial's end":
      store.saveSetting(reminded(subscription.id), subscription.trial_end ?? 0);
      emit("customer.subscription.trial_will_end", subscription);
      return;
    case "cancel":
      endSubscription(subscription, "cancellation_requested", effects);
      return;
    case "end the period":
      endPeriod(subscription, effects);
      return;
    case "finalize":
      collectInvoice(step.invoice, subscription, effects);
      return;
    case "retry":
      chargeInvoice(step.invoice, subscription, effects);
      return;
  }
}

export function endPeriod(subscription: Subscription, effects: Effects): void {
  const { status, trial_settings } = subscription;
  const behavior = trial_settings?.end_behavior.missing_payment_method;
  if (status === "trialing" && behavior !== "create_invoice" && !cardToCharge(subscription, effects)) {
    if (behavior === "cancel") endSubscription(subscription, "cancellation_requested", effects);
    else updateSubscription(subscription, { status: "paused" }, effects, "customer.subscription.paused");
    return;
  }
  const next: Subscription = { ...nextPeriod(subscription), ...(status === "trialing" && { status: "active" }) };
  const invoice = createInvoice(next, "subscription_cycle", effects);
  const { items, billing_cycle_anchor } = next;
  updateSubscription(
    subscription,
    { status: next.status, items, billing_cycle_anchor, latest_invoice: invoice.id },
    effects,
  );
}

/** A preview of the invoice at the period's end: https://docs.stripe.com/api/invoices/create_preview */
export function previewInvoice(subscription: Subscription, effects: Effects): Invoice {
  const next = { ...nextPeriod(subscription), status: "active" as const };
  return { ...draftInvoice(next, "upcoming", effects), id: newId("upcoming_in") };
}

function nextPeriod(subscription: Subscription): Subscription {
  const end = subscription.items.data[0]?.current_period_end ?? subscription.created;
  const anchor = subscription.status === "trialing" ? end : subscription.billing_cycle_anchor;
  const period = withPeriod(subscription, end, monthAfter(end, anchor));
  return { ...subscription, billing_cycle_anchor: anchor, ...period };
}
