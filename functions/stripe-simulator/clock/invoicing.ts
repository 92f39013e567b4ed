import type { Effects } from "../api/operation-context";
import { newId } from "../store/ids";
import { type Invoice, make, type PaymentMethod, type Subscription } from "../store/objects";
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
  const invoice = draftInvoice(subscription, reason, effects);
  effects.store.save("Invoice", invoice);
  effects.emit("invoice.created", invoice);
  return invoice;
}

export function draftInvoice(
  subscription: Subscription,
  reason: Invoice["billing_reason"],
  { store, now }: Effects,
): Invoice {
  const created = now(subscription.customer);
  const customer = store.find("Customer", subscription.customer);
  const [item] = subscription.items.data;
  const period = { start: item?.current_period_start ?? created, end: item?.current_period_end ?? created };
  const isTrial = subscription.status === "trialing";
  const id = newId("in");
  const { id: subscriptionId, metadata } = subscription;
  const lines = subscription.items.data.map(({ id: itemId, price, quantity = 1 }) => {
    const amount = isTrial ? 0 : (price.unit_amount ?? 0) * quantity;
    const source = { subscription: subscriptionId, subscription_item: itemId };
    const priced = { price: price.id, product: price.product };
    return {
      ...{ id: newId("il"), amount, subtotal: amount, currency: price.currency },
      ...{ discountable: true, invoice: id, metadata },
      description: isTrial ? "Trial period" : `${quantity} × ${price.id}`,
      parent: { type: "subscription_item_details", subscription_item_details: source } as const,
      period,
      pricing: {
        type: "price_details",
        price_details: priced,
        unit_amount_decimal: price.unit_amount_decimal,
      } as const,
      ...{ quantity, quantity_decimal: String(quantity), subscription: subscriptionId },
    };
  });
  const subtotal = lines.reduce((sum, { amount }) => sum + amount, 0);
  const { enabled } = subscription.automatic_tax;
  const tax = enabled ? Math.round((subtotal * TAX_PERCENT) / 100) : 0;
  const total = subtotal + tax;
  const balance = customer?.balance ?? 0;
  const due = Math.max(0, total + balance);
  const details = { metadata, subscription: subscriptionId };
  return make("Invoice", {
    ...{ id, created, currency: subscription.currency, customer: subscription.customer, status: "draft" },
    ...{ amount_due: due, amount_remaining: due, starting_balance: balance, subtotal, total },
    ...{ subtotal_excluding_tax: subtotal, total_excluding_tax: subtotal },
    automatic_tax: { enabled, status: enabled ? "complete" : null, ...(enabled && { provider: "stripe" }) },
    total_taxes: tax === 0 ? [] : [taxOf(tax, subtotal)],
    ...{ auto_advance: true, automatically_finalizes_at: created + DRAFT_SECONDS },
    ...{ billing_reason: reason, collection_method: "charge_automatically", issuer: { type: "self" } },
    ...{ customer_address: customer?.address, customer_email: customer?.email },
    ...{ customer_name: customer?.name, customer_phone: customer?.phone },
    lines: { data: lines, url: `/v1/invoices/${id}/lines` },
    metadata: {},
    parent: { type: "subscription_details", subscription_details: details },
    ...{ period_start: period.start, period_end: period.end, test_clock: subscription.test_clock },
  });
}

function taxOf(amount: number, taxable_amount: number) {
  return {
    ...{ amount, taxable_amount, tax_behavior: "exclusive" as const, type: "tax_rate_details" as const },
    ...{ tax_rate_details: null, taxability_reason: "standard_rated" as const },
  };
}

export function finalizeInvoice(invoice: Invoice, { store, emit, now }: Effects): Invoice {
  const at = now(invoice.customer);
  const balance = Math.min(0, invoice.starting_balance + invoice.total);
  const customer = store.find("Customer", invoice.customer ?? "");
  if (customer && customer.balance !== balance) store.save("Customer", { ...customer, balance });
  const finalized = store.save("Invoice", {
    ...invoice,
    automatically_finalizes_at: null,
    effective_at: at,
    ending_balance: balance,
    number: `SIM-${invoice.id.slice(-8).toUpperCase()}`,
    status: "open",
    status_transitions: { ...invoice.status_transitions, finalized_at: at },
  });
  emit("invoice.finalized", finalized);
  return finalized;
}

export function markPaid(invoice: Invoice, { store, emit, now }: Effects): void {
  const at = now(invoice.customer);
  const paid = store.save("Invoice", {
    ...invoice,
    payments: { object: "list", url: "/v1/invoice_payments", has_more: false, data: paymentsOf(invoice, at) },
    amount_paid: invoice.amount_due,
    amount_remaining: 0,
    attempt_count: invoice.attempt_count + (invoice.amount_due > 0 ? 1 : 0),
    attempted: true,
    auto_advance: false,
    next_payment_attempt: null,
    status: "paid",
    status_transitions: { ...invoice.status_transitions, paid_at: at },
  });
  emit("invoice.paid", paid);
  emit("invoice.payment_succeeded", paid);
}

/** None for an empty invoice. */
function paymentsOf({ id, amount_due, currency, livemode }: Invoice, at: number) {
  if (amount_due === 0) return [];
  return [
    {
      ...{ id: newId("inpay"), object: "invoice_payment" as const, created: at, currency, invoice: id, livemode },
      ...{ amount_paid: amount_due, amount_requested: amount_due, is_default: true, status: "paid" as const },
      payment: { type: "payment_intent" as const, payment_intent: newId("pi") },
      status_transitions: { canceled_at: null, paid_at: at },
    },
  ];
}

export function voidInvoice(invoice: Invoice, { store, emit, now }: Effects): void {
  const voided = store.save("Invoice", {
    ...invoice,
    auto_advance: false,
    automatically_finalizes_at: null,
    next_payment_attempt: null,
    status: "void",
    status_transitions: { ...invoice.status_transitions, voided_at: now(invoice.customer) },
  });
  emit("invoice.voided", voided);
}

export function cardToCharge(subscription: Subscription, { store }: Effects): PaymentMethod | undefined {
  const customer = store.find("Customer", subscription.customer);
  const id = subscription.default_payment_method ?? customer?.invoice_settings.default_payment_method;
  const method = id ? store.find("PaymentMethod", id) : undefined;
  return method?.customer === subscription.customer ? method : undefined;
}

export function invoicesOf({ id, customer }: Subscription, { store }: Effects): Invoice[] {
  return store.list("Invoice", customer).filter(({ parent }) => parent?.subscription_details?.subscription === id);
}
