import type Stripe from "stripe";
import { DAY_MS } from "../../../app/contract/dates";
import { call, dateOf, ifExists, PaymentsError } from "./client";

export type Card = { brand: string; last4: string };

/** US cents including `tax`; `tax` is "added" if Stripe Tax adds an unknown amount. */
export type Amount = { cents: number; tax: number | "added" };

/** What is charged at the trial's end and after it. An unknown amount is null. */
export type Charges = {
  first: Amount | null;
  later: Amount | null;
  /** True if a credit or discount may also lower later charges. */
  isReduced: boolean;
  /** The time between charges, for example `month` or `3 months`. Null also if there is only one. */
  every: string | null;
  endsAt: Date | null;
};

export type TrialEndOutcome =
  | ({ next: "charge" } & Charges)
  | { next: "end"; why: "canceled" | "no-card"; at: Date }
  | { next: "unknown" };

export type ChargePreview = {
  isTrialing: boolean;
  /** True if Stripe has created an invoice with an amount, which it does when the trial is over. */
  isInvoiced: boolean;
  trialEnd: Date | null;
  trialEndOutcome: TrialEndOutcome;
  card: Card | null;
  plan: string | null;
};

export function stripeChargePreviews(stripe: Stripe) {
  const card = "invoice_settings.default_payment_method";

  return {
    async previewCharge(subscriptionId: string): Promise<ChargePreview | undefined> {
      const expand = [`customer.${card}`, "default_payment_method", "latest_invoice", "items.data.price.product"];
      const found = await ifExists(() => call(() => stripe.subscriptions.retrieve(subscriptionId, { expand })));
      if (!found) return undefined;
      const { latest_invoice: invoice } = found;
      const method = expanded(found.default_payment_method) ?? defaultCardOf(expanded(found.customer));
      const end = endBeforeCharge(found, method !== undefined);
      return {
        isTrialing: found.status === "trialing",
        isInvoiced: (expanded(invoice)?.amount_due ?? 0) > 0,
        trialEnd: dateOf(found.trial_end),
        trialEndOutcome: end ?? { next: "charge", ...(await chargesOf(stripe, found)) },
        card: cardOf(method),
        plan: found.items.data.flatMap(({ price }) => nameOf(price.product)).join(", ") || null,
      };
    },

    async findCard(customerId: string): Promise<Card | null> {
      const found = await ifExists(() => call(() => stripe.customers.retrieve(customerId, { expand: [card] })));
      return cardOf(defaultCardOf(found));
    },
  };
}

/** Undefined if a charge follows. The portal sets `cancel_at`; Stripe's dashboard and API may set `cancel_at_period_end`. */
function endBeforeCharge(found: Stripe.Subscription, hasCard: boolean): TrialEndOutcome | undefined {
  const trialEnd = dateOf(found.trial_end);
  if (trialEnd === null) return { next: "unknown" };
  const cancelAt = dateOf(found.cancel_at);
  if (cancelAt !== null && cancelAt <= trialEnd) return { next: "end", why: "canceled", at: cancelAt };
  if (found.cancel_at_period_end) return { next: "end", why: "canceled", at: trialEnd };
  if (found.pause_collection != null || found.collection_method === "send_invoice") return { next: "unknown" };
  if (hasCard) return undefined;
  const endsWithoutCard = found.trial_settings?.end_behavior.missing_payment_method === "cancel";
  return endsWithoutCard ? { next: "end", why: "no-card", at: trialEnd } : { next: "unknown" };
}

/** Stripe's preview includes balance, items, discounts and tax. Unknown if it is refused or not in US dollars. */
async function chargesOf(stripe: Stripe, subscription: Stripe.Subscription): Promise<Charges> {
  const amounts = { first: null, later: null, isReduced: false };
  const unknown: Charges = { ...amounts, every: intervalOf(subscription), endsAt: dateOf(subscription.cancel_at) };
  let preview: Stripe.Invoice;
  try {
    preview = await call(() => stripe.invoices.createPreview({ subscription: subscription.id }));
  } catch (error) {
    if (error instanceof PaymentsError && error.reason === "unexpected-answer") return unknown;
    throw error;
  }
  if (preview.currency !== "usd") return unknown;
  const { amount_due, automatic_tax, starting_balance, subtotal, total } = preview;
  const isTaxUnknown = automatic_tax?.enabled === true && automatic_tax.status !== "complete";
  const tax: Amount["tax"] = isTaxUnknown ? "added" : sumOf(preview.total_taxes);
  // With a balance the amount due no longer includes the whole tax.
  const first: Amount = { cents: amount_due, tax: amount_due === total || tax === "added" ? tax : 0 };
  const isDiscounted = sumOf(preview.total_discount_amounts) + sumOf(preview.total_pretax_credit_amounts) > 0;
  // If the first invoice has one-time items, later amounts are unknown.
  const regular = subscription.items.data.reduce(
    (sum, { price, quantity }) => sum + (price.unit_amount ?? 0) * (quantity ?? 1),
    0,
  );
  const later: Amount | null = isDiscounted || regular !== subtotal ? null : { cents: total, tax };
  return { ...unknown, first, later, isReduced: isDiscounted || starting_balance + total < 0 };
}

const YEAR_DAYS = 366;
const LONGEST_DAYS: Record<string, number> = { day: 1, week: 7, month: 31, year: YEAR_DAYS };

/** Null if items differ, a schedule may change them, or the subscription ends before its second charge. */
function intervalOf({ items, schedule, cancel_at, trial_end }: Stripe.Subscription): string | null {
  const secondsLeft = (cancel_at ?? Number.POSITIVE_INFINITY) - (trial_end ?? 0);
  const [every, ...others] = items.data.map(({ price: { recurring } }) => {
    if (!recurring) return null;
    const { interval, interval_count: count } = recurring;
    if (secondsLeft * 1000 <= count * (LONGEST_DAYS[interval] ?? YEAR_DAYS) * DAY_MS) return null;
    return count === 1 ? interval : `${count} ${interval}s`;
  });
  return schedule || others.some((other) => other !== every) ? null : (every ?? null);
}

function sumOf(amounts: { amount: number }[] | null | undefined): number {
  return (amounts ?? []).reduce((sum, { amount }) => sum + amount, 0);
}

/** Undefined if Stripe returned only the object's ID. */
function expanded<T extends object>(given: T | string | null | undefined): T | undefined {
  return typeof given === "object" && given !== null ? given : undefined;
}

function defaultCardOf(customer: Stripe.Customer | Stripe.DeletedCustomer | undefined) {
  return customer?.deleted ? undefined : expanded(customer?.invoice_settings?.default_payment_method);
}

function cardOf(method: Stripe.PaymentMethod | undefined): Card | null {
  const { brand, last4 } = method?.card ?? {};
  return brand !== undefined && last4 !== undefined ? { brand, last4 } : null;
}

function nameOf(product: Stripe.Price["product"]): string[] {
  const found = expanded(product);
  return found && "name" in found && found.name ? [found.name] : [];
}
