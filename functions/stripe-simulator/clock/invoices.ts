import type { Effects } from "../store/events";
import { type Invoice, newId, nulls, type PaymentMethod, type Subscription } from "../store/objects";
import { HOUR } from "./time";

/** Stripe keeps a draft for about an hour, so that it can still be changed. */
const DRAFT_SECONDS = HOUR;

/** Stands in for Stripe Tax's rates. */
const TAX_RATE = 0.08;
const STANDARD_RATE = {
  tax_behavior: "exclusive",
  tax_rate_details: null,
  taxability_reason: "standard_rated",
} as const;

type Reason = Invoice["billing_reason"];

/** Saves a draft. The caller finalizes the first invoice at once; the clock finalizes later ones after an hour. */
export function createInvoice(subscription: Subscription, reason: Reason, effects: Effects): Invoice {
  const invoice = effects.store.save("Invoice", draftInvoice(subscription, reason, effects));
  return effects.emit("invoice.created", invoice);
}

/** The draft has no lines, because neither the API nor a page reads them. */
export function draftInvoice(subscription: Subscription, reason: Reason, { store, now }: Effects): Invoice {
  const id = newId("in");
  const customer = store.find("Customer", subscription.customer);
  const { enabled } = subscription.automatic_tax;
  const [item] = subscription.items.data;
  const subtotal = subscription.status === "trialing" ? 0 : (item?.price.unit_amount ?? 0);
  const tax = enabled ? Math.round(subtotal * TAX_RATE) : 0;
  const total = subtotal + tax;
  return {
    ...nulls("account_country", "account_name", "account_tax_ids", "application", "custom_fields", "customer_account"),
    ...nulls("customer_shipping", "default_payment_method", "default_source", "description", "due_date"),
    ...nulls("effective_at", "ending_balance", "footer", "from_invoice", "last_finalization_error", "latest_revision"),
    ...nulls("number", "next_payment_attempt", "on_behalf_of", "receipt_number", "rendering", "shipping_cost"),
    ...nulls("shipping_details", "statement_descriptor", "webhooks_delivered_at"),
    ...{ id, object: "invoice", created: now, currency: subscription.currency, livemode: false, metadata: {} },
    test_clock: subscription.test_clock,
    ...{ amount_due: total, amount_overpaid: 0, amount_paid: 0, amount_remaining: total, amount_shipping: 0 },
    ...{ attempt_count: 0, attempted: false, auto_advance: true, automatically_finalizes_at: now + DRAFT_SECONDS },
    automatic_tax: {
      ...nulls("disabled_reason", "liability"),
      ...(enabled ? { enabled, provider: "stripe", status: "complete" } : { enabled, provider: null, status: null }),
    },
    ...{ billing_reason: reason, collection_method: "charge_automatically", issuer: { type: "self" }, status: "draft" },
    ...{ customer: subscription.customer, customer_tax_exempt: "none", customer_tax_ids: [] },
    ...{ customer_address: customer?.address ?? null, customer_email: customer?.email ?? null },
    ...{ customer_name: customer?.name ?? null, customer_phone: customer?.phone ?? null },
    ...{ default_tax_rates: [], discounts: [], total_discount_amounts: [], total_pretax_credit_amounts: [] },
    lines: { object: "list", data: [], has_more: false, url: `/v1/invoices/${id}/lines` },
    parent: {
      ...{ quote_details: null, type: "subscription_details" },
      subscription_details: { metadata: subscription.metadata, subscription: subscription.id },
    },
    payment_settings: nulls("default_mandate", "payment_method_options", "payment_method_types"),
    ...{ period_start: item?.current_period_start ?? now, period_end: item?.current_period_end ?? now },
    ...{ post_payment_credit_notes_amount: 0, pre_payment_credit_notes_amount: 0, starting_balance: 0 },
    status_transitions: nulls("finalized_at", "marked_uncollectible_at", "paid_at", "voided_at"),
    ...{ subtotal, subtotal_excluding_tax: subtotal, total, total_excluding_tax: subtotal },
    total_taxes: enabled ? [{ ...STANDARD_RATE, type: "tax_rate_details", amount: tax, taxable_amount: subtotal }] : [],
  };
}

export function finalizeInvoice(invoice: Invoice, { store, emit, now }: Effects): Invoice {
  const finalized = store.save("Invoice", {
    ...invoice,
    ...{ automatically_finalizes_at: null, effective_at: now, ending_balance: 0 },
    number: `SIM-${invoice.id.slice(-8).toUpperCase()}`,
    status: "open",
    status_transitions: { ...invoice.status_transitions, finalized_at: now },
  });
  return emit("invoice.finalized", finalized);
}

export function markPaid(invoice: Invoice, { store, emit, now }: Effects): void {
  const paid = store.save("Invoice", {
    ...invoice,
    ...{ amount_paid: invoice.amount_due, amount_remaining: 0, attempted: true, auto_advance: false, status: "paid" },
    attempt_count: invoice.attempt_count + (invoice.amount_due > 0 ? 1 : 0),
    next_payment_attempt: null,
    status_transitions: { ...invoice.status_transitions, paid_at: now },
  });
  emit("invoice.payment_succeeded", emit("invoice.paid", paid));
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
