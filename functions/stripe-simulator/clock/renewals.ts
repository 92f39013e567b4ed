import * as z from "zod";
import { cardOutcome } from "../cards/test-cards";
import type { Effects } from "../store/events";
import { type Invoice, nulls, previousAttributes, type Subscription } from "../store/objects";
import type { Steps } from "../store/store";
import { cardToCharge, createInvoice, draftInvoice, invoicesOf, markPaid } from "./invoices";
import { DAY, monthAfter } from "./time";

/** Days between attempts, as in a custom schedule: https://docs.stripe.com/billing/revenue-recovery/smart-retries */
const RETRY_DAYS = [3, 5, 7];

export const failsNext = (customer: string) => `next charge fails ${customer}`;

export const hasEnded = ({ status }: Subscription) => status === "canceled";

/** The end of the current paid or free period, in seconds since 1970. */
export const periodEndOf = ({ items, created }: Subscription) => items.data[0]?.current_period_end ?? created;

const stepsOf = ({ test_clock }: Subscription): Steps => (test_clock === null ? "step" : `step of ${test_clock}`);

/** Saves changes, emits an event if anything has changed, and schedules the clock's next look at the subscription. */
export function updateSubscription(
  subscription: Subscription,
  changes: Partial<Subscription>,
  { store, emit }: Effects,
): Subscription {
  const changed = store.save("Subscription", { ...subscription, ...changes });
  store.set(stepsOf(changed), changed.id, null, 0);
  const previous = previousAttributes(subscription, changed);
  if (previous) emit("customer.subscription.updated", changed, previous);
  return changed;
}

type Reason = "cancellation_requested" | "payment_failed";

export function endSubscription(subscription: Subscription, reason: Reason, effects: Effects): Subscription {
  const { store, now, emit } = effects;
  const ended = store.save("Subscription", {
    ...subscription,
    ...{ status: "canceled", canceled_at: subscription.canceled_at ?? now, ended_at: now },
    ...because(reason, subscription.cancellation_details?.comment),
  });
  store.remove(stepsOf(ended), ended.id);
  for (const invoice of invoicesOf(ended, effects)) {
    store.save("Invoice", { ...invoice, auto_advance: false, next_payment_attempt: null });
  }
  return emit("customer.subscription.deleted", ended);
}

/** Cancels as the Customer Portal does: https://docs.stripe.com/customer-management/cancellation */
export function cancelAtPeriodEnd(subscription: Subscription, effects: Effects): Subscription {
  const changes = { cancel_at: periodEndOf(subscription), canceled_at: effects.now };
  return updateSubscription(subscription, { ...changes, ...because("cancellation_requested") }, effects);
}

export const because = (reason: Reason | null, comment: string | null = null): Partial<Subscription> => ({
  cancellation_details: { ...nulls("feedback", "feedback_option"), comment, reason },
});

export function endPeriod(subscription: Subscription, effects: Effects): void {
  // The subscription's `trial_settings` ask for this.
  if (subscription.status === "trialing" && !cardToCharge(subscription, effects)) {
    endSubscription(subscription, "cancellation_requested", effects);
    return;
  }
  const next = nextPeriod(subscription);
  const invoice = createInvoice(next, "subscription_cycle", effects);
  updateSubscription(subscription, { ...next, latest_invoice: invoice.id }, effects);
}

/** The invoice at the period's end: https://docs.stripe.com/api/invoices/create_preview */
export function previewInvoice(subscription: Subscription, effects: Effects): Invoice {
  return { ...draftInvoice(nextPeriod(subscription), "upcoming", effects), id: `upcoming_${subscription.id}` };
}

function nextPeriod(subscription: Subscription): Subscription {
  const { status, items, billing_cycle_anchor } = subscription;
  const start = periodEndOf(subscription);
  const anchor = status === "trialing" ? start : billing_cycle_anchor;
  const period = { current_period_start: start, current_period_end: monthAfter(start, anchor) };
  const data = items.data.map((item) => ({ ...item, ...period }));
  const isActive = status === "trialing" ? "active" : status;
  return { ...subscription, status: isActive, billing_cycle_anchor: anchor, items: { ...items, data } };
}

export function chargeInvoice(invoice: Invoice, subscription: Subscription, effects: Effects): void {
  const { store, now, emit } = effects;
  if (invoice.amount_due === 0 || succeeds(subscription, effects)) {
    markPaid(invoice, effects);
    if (subscription.status === "past_due") updateSubscription(subscription, { status: "active" }, effects);
    return;
  }
  const attempts = invoice.attempt_count + 1;
  const retryDays = RETRY_DAYS[attempts - 1];
  const next = retryDays === undefined ? null : now + retryDays * DAY;
  const tried = { attempt_count: attempts, attempted: true, next_payment_attempt: next };
  emit("invoice.payment_failed", store.save("Invoice", { ...invoice, ...tried }));
  if (next !== null) updateSubscription(subscription, { status: "past_due" }, effects);
  else endSubscription(subscription, "payment_failed", effects);
}

function succeeds(subscription: Subscription, effects: Effects): boolean {
  const { store } = effects;
  const setting = failsNext(subscription.customer);
  if (store.get(z.boolean(), "setting", setting)) {
    store.remove("setting", setting);
    return false;
  }
  const card = cardToCharge(subscription, effects);
  if (!card) return false;
  const { declined, chargeFails } = cardOutcome(store.get(z.string(), "card", card.id));
  return !declined && !chargeFails;
}
