import type { Effects } from "../api/operation-context";
import { cardOutcome } from "../cards/cards";
import type { Invoice, Subscription } from "../store/objects";
import { cardToCharge, finalizeInvoice, markPaid, voidInvoice } from "./invoicing";
import { endSubscription, updateSubscription } from "./subscription-lifecycle";
import { DAY } from "./time";

/** Days between attempts, as in a custom schedule: https://docs.stripe.com/billing/revenue-recovery/smart-retries */
const RETRY_DAYS = [3, 5, 7];

/** A setting: the customer's next charge is declined, whatever its card. */
export const failsNext = (customer: string) => `next_charge_fails/${customer}`;

export function collectInvoice(draft: Invoice, subscription: Subscription, effects: Effects): void {
  const open = finalizeInvoice(draft, effects);
  if (subscription.pause_collection) voidInvoice(open, effects);
  else chargeInvoice(open, subscription, effects);
}

export function chargeInvoice(invoice: Invoice, subscription: Subscription, effects: Effects): void {
  const isPaid = invoice.amount_due === 0 || succeeds(subscription, effects);
  if (isPaid) {
    markPaid(invoice, effects);
    const owed = ["past_due", "incomplete"].includes(subscription.status);
    if (owed) updateSubscription(subscription, { status: "active" }, effects);
    return;
  }
  const attempts = invoice.attempt_count + 1;
  const isFirst = invoice.billing_reason === "subscription_create";
  const retryDays = isFirst ? undefined : RETRY_DAYS[attempts - 1];
  const failed = effects.store.save("Invoice", {
    ...invoice,
    attempt_count: attempts,
    attempted: true,
    next_payment_attempt: retryDays === undefined ? null : effects.now(invoice.customer) + retryDays * DAY,
  });
  effects.emit("invoice.payment_failed", failed);
  if (isFirst) return;
  if (retryDays !== undefined) updateSubscription(subscription, { status: "past_due" }, effects);
  else endSubscription(subscription, "payment_failed", effects);
}

function succeeds(subscription: Subscription, effects: Effects): boolean {
  const { store } = effects;
  const setting = failsNext(subscription.customer);
  if (store.setting(setting)) {
    store.saveSetting(setting, 0);
    return false;
  }
  const card = cardToCharge(subscription, effects);
  const outcome = card && cardOutcome(store.cardNumber(card.id) ?? "");
  // A card that needs authentication once was authenticated when it was set up.
  return outcome === "succeeds" || outcome === "needs-authentication";
}
