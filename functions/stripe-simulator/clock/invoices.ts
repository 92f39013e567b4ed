import type { Effects } from "../store/events";
import { type Invoice, newId, nulls, type PaymentMethod, type Subscription } from "../store/objects";
import { HOUR } from "./time";

/** Stripe waits about an hour, so that an invoice can still be changed. */
const DRAFT_SECONDS = HOUR;

/** In place of Stripe Tax's rates. */
const TAX_PERCENT = 8;

/** Saves a draft; the caller finalizes the first at once, the clock any later one after an hour. */
export function createInvoice(
  subscription: Subscription,
  reason: Invoice["billing_reason"],
  effects: Effects,
): Invoice {
  const invoice = effects.store.save("Invoice", draftInvoice(subscription, reason, effects));
  effects.emit("invoice.created", invoice);
  return invoice;
}

export function draftInvoice(
  subscription: Subscription,
  reason: Invoice["billing_reason"],
  { store, now }: Effects,
): Invoice {
  const id = newId("in");
  const customer = store.find("Customer", subscription.customer);
  const data = linesOf(subscription, id);
  const subtotal = data.reduce((sum, { amount }) => sum + amount, 0);
  const { enabled } = subscription.automatic_tax;
  const tax = enabled ? Math.round((subtotal * TAX_PERCENT) / 100) : 0;
  const total = subtotal + tax;
  const balance = customer?.balance ?? 0;
  const due = Math.max(0, total + balance);
  const [line] = data;
  return {
    ...nulls("account_country", "account_name", "account_tax_ids", "application", "custom_fields", "customer_account"),
    ...nulls(
      "customer_shipping",
      "default_payment_method",
      "default_source",
      "description",
      "due_date",
      "effective_at",
    ),
    ...nulls("ending_balance", "footer", "from_invoice", "last_finalization_error", "latest_revision", "number"),
    ...nulls("next_payment_attempt", "on_behalf_of", "receipt_number", "rendering", "shipping_cost", "test_clock"),
    ...nulls("shipping_details", "statement_descriptor", "webhooks_delivered_at"),
    ...{ id, object: "invoice", created: now, currency: subscription.currency, livemode: false, metadata: {} },
    ...{ amount_due: due, amount_overpaid: 0, amount_paid: 0, amount_remaining: due, amount_shipping: 0 },
    ...{ attempt_count: 0, attempted: false, auto_advance: true, automatically_finalizes_at: now + DRAFT_SECONDS },
    automatic_tax: {
      ...nulls("disabled_reason", "liability"),
      ...(enabled ? { enabled, provider: "stripe", status: "complete" } : { enabled, provider: null, status: null }),
    },
    ...{ billing_reason: reason, collection_method: "charge_automatically", issuer: { type: "self" }, status: "draft" },
    ...{ customer: subscription.customer, customer_tax_exempt: "none", customer_tax_ids: [] },
    customer_address: customer?.address ?? null,
    customer_email: customer?.email ?? null,
    customer_name: customer?.name ?? null,
    customer_phone: customer?.phone ?? null,
    ...{ default_tax_rates: [], discounts: [], total_discount_amounts: [], total_pretax_credit_amounts: [] },
    lines: { object: "list", data, has_more: false, url: `/v1/invoices/${id}/lines` },
    parent: {
      ...{ quote_details: null, type: "subscription_details" },
      subscription_details: { metadata: subscription.metadata, subscription: subscription.id },
    },
    payment_settings: nulls("default_mandate", "payment_method_options", "payment_method_types"),
    ...{ period_start: line?.period.start ?? now, period_end: line?.period.end ?? now },
    ...{ post_payment_credit_notes_amount: 0, pre_payment_credit_notes_amount: 0, starting_balance: balance },
    status_transitions: nulls("finalized_at", "marked_uncollectible_at", "paid_at", "voided_at"),
    ...{ subtotal, subtotal_excluding_tax: subtotal, total, total_excluding_tax: subtotal },
    total_taxes: tax === 0 ? [] : [taxOf(tax, subtotal)],
  };
}

function linesOf(subscription: Subscription, invoice: string): Invoice["lines"]["data"] {
  const isTrial = subscription.status === "trialing";
  return subscription.items.data.map(({ id, price, quantity = 1, current_period_start, current_period_end }) => {
    const amount = isTrial ? 0 : (price.unit_amount ?? 0) * quantity;
    return {
      ...{ id: newId("il"), object: "line_item", amount, subtotal: amount, currency: price.currency, invoice },
      ...{ discount_amounts: [], discountable: true, discounts: [], livemode: false, metadata: subscription.metadata },
      description: isTrial ? "Trial period" : `${quantity} × ${price.id}`,
      parent: {
        ...{ invoice_item_details: null, type: "subscription_item_details" },
        subscription_item_details: {
          ...{ invoice_item: null, proration: false, proration_details: null },
          ...{ subscription: subscription.id, subscription_item: id },
        },
      },
      period: { start: current_period_start, end: current_period_end },
      ...{ pretax_credit_amounts: [], taxes: [] },
      pricing: {
        type: "price_details",
        price_details: { price: price.id, product: price.product },
        unit_amount_decimal: price.unit_amount_decimal,
      },
      ...{ quantity, quantity_decimal: String(quantity), subscription: subscription.id },
    };
  });
}

function taxOf(amount: number, taxable_amount: number): NonNullable<Invoice["total_taxes"]>[number] {
  return {
    ...{ amount, taxable_amount, tax_behavior: "exclusive", type: "tax_rate_details" },
    ...{ tax_rate_details: null, taxability_reason: "standard_rated" },
  };
}

export function finalizeInvoice(invoice: Invoice, { store, emit, now }: Effects): Invoice {
  const balance = Math.min(0, invoice.starting_balance + invoice.total);
  const customer = store.find("Customer", invoice.customer);
  if (customer && customer.balance !== balance) store.save("Customer", { ...customer, balance });
  const finalized = store.save("Invoice", {
    ...invoice,
    automatically_finalizes_at: null,
    effective_at: now,
    ending_balance: balance,
    number: `SIM-${invoice.id.slice(-8).toUpperCase()}`,
    status: "open",
    status_transitions: { ...invoice.status_transitions, finalized_at: now },
  });
  emit("invoice.finalized", finalized);
  return finalized;
}

export function markPaid(invoice: Invoice, { store, emit, now }: Effects): void {
  const paid = store.save("Invoice", {
    ...invoice,
    amount_paid: invoice.amount_due,
    amount_remaining: 0,
    attempt_count: invoice.attempt_count + (invoice.amount_due > 0 ? 1 : 0),
    attempted: true,
    auto_advance: false,
    next_payment_attempt: null,
    status: "paid",
    status_transitions: { ...invoice.status_transitions, paid_at: now },
  });
  emit("invoice.paid", paid);
  emit("invoice.payment_succeeded", paid);
}

export function cardToCharge(subscription: Subscription, { store }: Effects): PaymentMethod | undefined {
  const customer = store.find("Customer", subscription.customer);
  const id = subscription.default_payment_method ?? customer?.invoice_settings.default_payment_method;
  const method = store.find("PaymentMethod", id);
  return method?.customer === subscription.customer ? method : undefined;
}

export function invoicesOf({ id, customer }: Subscription, { store }: Effects): Invoice[] {
  return store.list("Invoice", customer).filter(({ parent }) => parent?.subscription_details?.subscription === id);
}
