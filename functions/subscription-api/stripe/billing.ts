import type Stripe from "stripe";
import * as z from "zod";
import { call, ifExists, PaymentsError } from "./client";
import { dateOf } from "./fields";

const time = z.number().nullish();

const paymentMethod = z.object({ card: z.object({ brand: z.string(), last4: z.string() }).nullish() });

const customer = z.object({
  /** In cents: a credit where it is negative. */
  balance: z.number().nullish(),
  invoice_settings: z.object({ default_payment_method: paymentMethod.nullish() }).nullish(),
});

const subscription = z.object({
  automatic_tax: z.object({ enabled: z.boolean() }).nullish(),
  status: z.string(),
  cancel_at: time,
  cancel_at_period_end: z.boolean(),
  collection_method: z.string().nullish(),
  customer,
  default_payment_method: paymentMethod.nullish(),
  discounts: z.array(z.unknown()).nullish(),
  items: z.object({
    data: z.array(
      z.object({
        price: z.object({
          currency: z.string(),
          product: z.object({ name: z.string().nullish() }),
          unit_amount: z.number().nullish(),
        }),
        quantity: z.number().nullish(),
      }),
    ),
  }),
  latest_invoice: z.object({ amount_due: z.number() }).nullish(),
  pause_collection: z.looseObject({}).nullish(),
  trial_end: time,
  trial_settings: z.object({ end_behavior: z.object({ missing_payment_method: z.string() }) }).nullish(),
});
type Subscription = z.output<typeof subscription>;

const invoice = z
  .object({
    amount_paid: z.number(),
    customer: z.string().nullish(),
    parent: z.object({ subscription_details: z.object({ subscription: z.string() }).nullish() }).nullish(),
    status: z.string().nullish(),
  })
  .transform(({ amount_paid, customer, parent, status }) => ({
    subscriptionId: parent?.subscription_details?.subscription,
    customerId: customer,
    isPaid: status === "paid" && amount_paid > 0,
  }));

const preview = z.object({
  amount_due: z.number(),
  automatic_tax: z.object({ enabled: z.boolean(), status: z.string().nullish() }).nullish(),
  currency: z.string(),
  subtotal: z.number(),
  total: z.number(),
  total_discount_amounts: z.array(z.object({ amount: z.number() })).nullish(),
  total_taxes: z.array(z.object({ amount: z.number() })).nullish(),
});

/** Timeout of the preview in an email. */
const PREVIEW = { timeout: 5_000, maxNetworkRetries: 0 };

export type Card = { brand: string; last4: string };

/** US cents including `tax`; `tax` is "added" if Stripe Tax adds an unknown amount. */
export type Amount = { cents: number; tax: number | "added" };

/** The first charge and each later month's charge; null for an unknown amount. */
type Charges = { first: Amount | null; later: Amount | null };

export type TrialEndOutcome =
  | ({ next: "charge" } & Charges)
  | { next: "end"; why: "canceled" | "no-card"; at: Date }
  | { next: "unknown" };

export type Billing = {
  isTrialing: boolean;
  /** An invoice that is not empty, as Stripe makes it when the trial is over. */
  isInvoiced: boolean;
  trialEnd: Date | null;
  trialEndOutcome: TrialEndOutcome;
  card: Card | null;
  plan: string | null;
};

export function stripeBilling(stripe: Stripe) {
  const card = "invoice_settings.default_payment_method";

  /** From Stripe's preview, with balance, items, discounts and tax; without it, from the prices. */
  async function chargesOf(subscriptionId: string, found: Subscription): Promise<Charges> {
    try {
      const request = () => stripe.invoices.createPreview({ subscription: subscriptionId }, PREVIEW);
      return previewedCharges(await call(preview, request), found);
    } catch (error) {
      if (!(error instanceof PaymentsError)) throw error;
      return pricedCharges(found);
    }
  }

  return {
    async findBilling(subscriptionId: string): Promise<Billing | undefined> {
      const expand = [`customer.${card}`, "default_payment_method", "latest_invoice", "items.data.price.product"];
      const found = await ifExists(() =>
        call(subscription, () => stripe.subscriptions.retrieve(subscriptionId, { expand })),
      );
      if (!found) return undefined;
      const method = found.default_payment_method ?? found.customer.invoice_settings?.default_payment_method;
      const end = endBeforeCharge(found, method != null);
      return {
        isTrialing: found.status === "trialing",
        isInvoiced: (found.latest_invoice?.amount_due ?? 0) > 0,
        trialEnd: dateOf(found.trial_end),
        trialEndOutcome: end ?? { next: "charge", ...(await chargesOf(subscriptionId, found)) },
        card: method?.card ?? null,
        plan: found.items.data.flatMap(({ price }) => price.product.name ?? []).join(", ") || null,
      };
    },

    async findInvoice(id: string) {
      return ifExists(() => call(invoice, () => stripe.invoices.retrieve(id)));
    },

    async findCard(customerId: string): Promise<Card | null> {
      const found = await ifExists(() =>
        call(customer, () => stripe.customers.retrieve(customerId, { expand: [card] })),
      );
      return found?.invoice_settings?.default_payment_method?.card ?? null;
    },
  };
}

/** Undefined when a charge follows. The Customer Portal sets `cancel_at`, the API `cancel_at_period_end`. */
function endBeforeCharge(found: Subscription, hasCard: boolean): TrialEndOutcome | undefined {
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

function previewedCharges(found: z.output<typeof preview>, known: Subscription): Charges {
  if (found.currency !== "usd") return { first: null, later: null };
  const { amount_due, automatic_tax, subtotal, total } = found;
  const isTaxUnknown = automatic_tax?.enabled === true && automatic_tax.status !== "complete";
  const taxes = (found.total_taxes ?? []).reduce((sum, { amount }) => sum + amount, 0);
  const tax = isTaxUnknown ? "added" : taxes;
  // A balance changes the amount due, which then no longer contains the whole tax.
  const first: Amount = { cents: amount_due, tax: amount_due === total || tax === "added" ? tax : 0 };
  const isDiscounted = (found.total_discount_amounts ?? []).some(({ amount }) => amount > 0);
  const { later } = pricedCharges(known);
  // The first invoice may have items of its own.
  const isRecurring = later?.cents === subtotal;
  return { first, later: isDiscounted ? null : isRecurring ? { cents: total, tax } : later };
}

function pricedCharges(found: Subscription): Charges {
  const cents = centsOf(found);
  if (cents === null) return { first: null, later: null };
  const tax = found.automatic_tax?.enabled ? "added" : 0;
  return { first: { cents: Math.max(0, cents + (found.customer.balance ?? 0)), tax }, later: { cents, tax } };
}

function centsOf({ items, discounts }: Subscription): number | null {
  if (discounts != null && discounts.length > 0) return null;
  let cents = 0;
  for (const { price, quantity } of items.data) {
    if (price.unit_amount == null || price.currency !== "usd") return null;
    cents += price.unit_amount * (quantity ?? 1);
  }
  return cents;
}
