import type Stripe from "stripe";
import * as z from "zod";
import { call, ifExists } from "./client";
import { dateOf } from "./fields";

const time = z.number().nullish();

const paymentMethod = z.object({ card: z.object({ brand: z.string(), last4: z.string() }).nullish() });

const customer = z.object({
  invoice_settings: z.object({ default_payment_method: paymentMethod.nullish() }).nullish(),
});

const subscription = z.object({
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
          /** Without a name where it was deleted. */
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
    /** And not empty. */
    isPaid: status === "paid" && amount_paid > 0,
  }));

export type Card = { brand: string; last4: string };

/** In cents of US dollars, without tax; null where the amount is not fixed. */
export type TrialEndOutcome =
  | { next: "charge"; cents: number | null }
  | { next: "end"; why: "canceled" | "no-card"; at: Date }
  | { next: "unknown" };

const billing = subscription.transform((found) => {
  const method = found.default_payment_method ?? found.customer.invoice_settings?.default_payment_method;
  return {
    isTrialing: found.status === "trialing",
    /** An invoice that is not empty, as Stripe makes it when the trial is over. */
    isInvoiced: (found.latest_invoice?.amount_due ?? 0) > 0,
    trialEnd: dateOf(found.trial_end),
    trialEndOutcome: trialEndOutcomeOf(found, method != null),
    card: method?.card ?? null,
    /** As the Customer Portal and the invoices name it. */
    plan: found.items.data.flatMap(({ price }) => price.product.name ?? []).join(", ") || null,
  };
});
export type Billing = z.output<typeof billing>;

/** Every method throws PaymentsError. */
export function stripeBilling(stripe: Stripe) {
  const card = "invoice_settings.default_payment_method";
  return {
    /** Undefined when Stripe does not know it. */
    async findBilling(subscriptionId: string): Promise<Billing | undefined> {
      const expand = [`customer.${card}`, "default_payment_method", "latest_invoice", "items.data.price.product"];
      return ifExists(() => call(billing, () => stripe.subscriptions.retrieve(subscriptionId, { expand })));
    },

    /** Undefined when Stripe does not know it. */
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

/** The Customer Portal sets `cancel_at`, the API `cancel_at_period_end`; the status stays `trialing` in both cases. */
function trialEndOutcomeOf(found: Subscription, hasCard: boolean): TrialEndOutcome {
  const trialEnd = dateOf(found.trial_end);
  if (trialEnd === null) return { next: "unknown" };
  const cancelAt = dateOf(found.cancel_at);
  if (cancelAt !== null && cancelAt <= trialEnd) return { next: "end", why: "canceled", at: cancelAt };
  if (found.cancel_at_period_end) return { next: "end", why: "canceled", at: trialEnd };
  if (found.pause_collection != null || found.collection_method === "send_invoice") return { next: "unknown" };
  if (hasCard) return { next: "charge", cents: centsOf(found) };
  const endsWithoutCard = found.trial_settings?.end_behavior.missing_payment_method === "cancel";
  return endsWithoutCard ? { next: "end", why: "no-card", at: trialEnd } : { next: "unknown" };
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
