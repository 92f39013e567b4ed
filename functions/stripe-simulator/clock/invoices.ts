import type { Effects } from "../api/context";
import { newId } from "../store/ids";
import { complete, type Invoice, type PaymentMethod, type Subscription } from "../store/objects";
import { HOUR } from "./time";

/** Stripe waits about an hour, so that an invoice can still be changed. */
const DRAFT_SECONDS = HOUR;

/** Kept and announced. While a trial runs it is of $0; the first is finalized at once, any later one after an hour. */
export function createInvoice(
  subscription: Subscription,
  reason: Invoice["billing_reason"],
  effects: Effects,
): Invoice {
  const { store, emit, now } = effects;
  const created = now(subscription.customer);
  const customer = store.find("Customer", subscription.customer);
  const [item] = subscription.items.data;
  const period = { start: item?.current_period_start ?? created, end: item?.current_period_end ?? created };
  const isTrial = subscription.status === "trialing";
  const id = newId("in");
  const lines = subscription.items.data.map(({ id: itemId, price, quantity = 1 }) => {
    const amount = isTrial ? 0 : (price.unit_amount ?? 0) * quantity;
    return {
      id: newId("il"),
      object: "line_item" as const,
      amount,
      currency: price.currency,
      description: isTrial ? "Trial period" : `${quantity} × ${price.id}`,
      discountable: true,
      discounts: [],
      invoice: id,
      livemode: false,
      metadata: subscription.metadata,
      parent: {
        type: "subscription_item_details" as const,
        subscription_item_details: { subscription: subscription.id, subscription_item: itemId, proration: false },
      },
      period,
      pricing: {
        type: "price_details" as const,
        price_details: { price: price.id, product: price.product },
        unit_amount_decimal: price.unit_amount_decimal,
      },
      quantity,
      quantity_decimal: String(quantity),
      subscription: subscription.id,
      subtotal: amount,
    };
  });
  const total = lines.reduce((sum, { amount }) => sum + amount, 0);
  const invoice = complete("Invoice", {
    id,
    object: "invoice",
    amount_due: total,
    amount_overpaid: 0,
    amount_paid: 0,
    amount_remaining: total,
    amount_shipping: 0,
    attempt_count: 0,
    attempted: false,
    auto_advance: true,
    automatic_tax: { enabled: false },
    automatically_finalizes_at: created + DRAFT_SECONDS,
    billing_reason: reason,
    collection_method: "charge_automatically",
    created,
    currency: subscription.currency,
    customer: subscription.customer,
    customer_address: customer?.address ?? null,
    customer_email: customer?.email ?? null,
    customer_name: customer?.name ?? null,
    customer_phone: customer?.phone ?? null,
    default_tax_rates: [],
    discounts: [],
    issuer: { type: "self" },
    lines: { object: "list", data: lines, has_more: false, url: `/v1/invoices/${id}/lines` },
    livemode: false,
    metadata: {},
    parent: {
      type: "subscription_details",
      subscription_details: { metadata: subscription.metadata, subscription: subscription.id },
    },
    payment_settings: {},
    period_start: period.start,
    period_end: period.end,
    post_payment_credit_notes_amount: 0,
    pre_payment_credit_notes_amount: 0,
    starting_balance: 0,
    status: "draft",
    status_transitions: {},
    subtotal: total,
    subtotal_excluding_tax: total,
    test_clock: subscription.test_clock,
    total,
    total_excluding_tax: total,
  });
  if (reason === "upcoming") return invoice;
  store.save("Invoice", invoice);
  emit("invoice.created", invoice);
  return invoice;
}

/** From then on it cannot be changed. */
export function finalizeInvoice(invoice: Invoice, { store, emit, now }: Effects): Invoice {
  const at = now(invoice.customer);
  const finalized = store.save("Invoice", {
    ...invoice,
    automatically_finalizes_at: null,
    effective_at: at,
    ending_balance: 0,
    number: `SIM-${invoice.id.slice(-8).toUpperCase()}`,
    status: "open",
    status_transitions: { ...invoice.status_transitions, finalized_at: at },
  });
  emit("invoice.finalized", finalized);
  return finalized;
}

export function markPaid(invoice: Invoice, { store, emit, now }: Effects): Invoice {
  const paid = store.save("Invoice", {
    ...invoice,
    amount_paid: invoice.amount_due,
    amount_remaining: 0,
    attempt_count: invoice.attempt_count + (invoice.amount_due > 0 ? 1 : 0),
    attempted: true,
    auto_advance: false,
    next_payment_attempt: null,
    status: "paid",
    status_transitions: { ...invoice.status_transitions, paid_at: now(invoice.customer) },
  });
  emit("invoice.paid", paid);
  emit("invoice.payment_succeeded", paid);
  return paid;
}

/** Without a payment: what a paused collection does with its invoices. */
export function closeInvoice(invoice: Invoice, status: "void" | "uncollectible", { store, emit, now }: Effects): void {
  const at = now(invoice.customer);
  const isVoid = status === "void";
  const closed = store.save("Invoice", {
    ...invoice,
    auto_advance: false,
    automatically_finalizes_at: null,
    next_payment_attempt: null,
    status,
    status_transitions: {
      ...invoice.status_transitions,
      ...(isVoid ? { voided_at: at } : { marked_uncollectible_at: at }),
    },
  });
  emit(isVoid ? "invoice.voided" : "invoice.marked_uncollectible", closed);
}

/** The subscription's own card, else the customer's. */
export function cardToCharge(subscription: Subscription, { store }: Effects): PaymentMethod | undefined {
  const customer = store.find("Customer", subscription.customer);
  const id = subscription.default_payment_method ?? customer?.invoice_settings.default_payment_method;
  const method = id ? store.find("PaymentMethod", id) : undefined;
  return method?.customer === subscription.customer ? method : undefined;
}

export function invoicesOf({ id, customer }: Subscription, { store }: Effects): Invoice[] {
  return store.list("Invoice", customer).filter(({ parent }) => parent?.subscription_details?.subscription === id);
}
