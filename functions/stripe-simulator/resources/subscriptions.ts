import type Stripe from "stripe";
import * as z from "zod";
import { invalidRequest } from "../api/errors";
import { existing, listing, missing, type Operation, operation, retrieval } from "../api/operation";
import { flag, hash, integer, list, metadata, optionalText, type Readers, text } from "../api/parameters";
import { taxOf } from "../api/tax-location";
import { createInvoice, finalizeInvoice, markPaid } from "../clock/invoices";
import { cancelAtPeriodEnd, endSubscription, hasEnded, previewInvoice, updateSubscription } from "../clock/renewals";
import { DAY } from "../clock/time";
import type { Effects } from "../store/events";
import { type Customer, merge, newId, nulls, type Price, type Subscription } from "../store/objects";
import type { Store } from "../store/store";

const OWN_ACCOUNT = { type: "self" } as const;

type Item = Subscription["items"]["data"][number];

const create = {
  automatic_tax: hash({ enabled: flag }).optional(),
  customer: text,
  items: list(hash({ price: text })),
  metadata: metadata.optional(),
  off_session: flag.optional(),
  trial_period_days: integer,
  trial_settings: hash({ end_behavior: hash({ missing_payment_method: z.literal("cancel") }) }),
} satisfies Readers<Stripe.SubscriptionCreateParams>;

const update = {
  cancel_at_period_end: z
    .literal("true")
    .transform(() => true)
    .optional(),
  items: list(hash({ id: text, price: text })).optional(),
  proration_behavior: z.literal("create_prorations").optional(),
  trial_end: integer.optional(),
} satisfies Readers<Stripe.SubscriptionUpdateParams>;

const cancel = {
  cancellation_details: hash({ comment: text }).optional(),
} satisfies Readers<Stripe.SubscriptionCancelParams>;

const listedInvoices = {
  ...{ status: z.enum(["draft", "open", "paid"]).optional(), subscription: optionalText },
} satisfies Readers<Stripe.InvoiceListParams>;

const listed = {
  customer: optionalText,
  status: z.literal("all").optional(),
} satisfies Readers<Stripe.SubscriptionListParams>;

export const subscriptions: Operation[] = [
  listing("/v1/subscriptions", "Subscription", listed, (one, { status }) => status === "all" || !hasEnded(one)),

  retrieval("/v1/subscriptions/:id", "Subscription"),

  operation("POST /v1/subscriptions", create, (given, call) => {
    const { store, now, emit } = call;
    const customer = existing("Customer", given.customer, store, "customer");
    if (given.automatic_tax?.enabled) requireTaxLocation(customer);
    const trialEnd = now + given.trial_period_days * DAY;
    const id = newId("sub");
    const data = given.items.map(({ price: stripePriceId }, index): Item => {
      const price = activePrice(stripePriceId, index, store);
      return {
        ...{ id: newId("si", 14), object: "subscription_item", created: now, subscription: id, metadata: {} },
        ...{ current_period_start: now, current_period_end: trialEnd, current_trial: null, billing_thresholds: null },
        ...{ discounts: [], plan: planOf(price), price, quantity: 1, tax_rates: [] },
      };
    });
    const made = store.save("Subscription", {
      ...nulls("application", "application_fee_percent", "billing_cycle_anchor_config", "billing_thresholds"),
      ...nulls("cancel_at", "canceled_at", "customer_account", "days_until_due", "default_payment_method"),
      ...nulls("default_source", "description", "ended_at", "latest_invoice", "managed_payments"),
      ...nulls("next_pending_invoice_item_invoice", "on_behalf_of", "pause_collection", "pending_setup_intent"),
      ...nulls("pending_invoice_item_interval", "pending_update", "schedule", "transfer_data"),
      ...{ id, object: "subscription", created: now, currency: "usd", customer: customer.id, livemode: false },
      test_clock: customer.test_clock ?? null,
      automatic_tax: { ...nulls("disabled_reason", "liability"), enabled: given.automatic_tax?.enabled ?? false },
      billing_mode: { type: "flexible", flexible: { proration_discounts: "included" } },
      ...{ billing_cycle_anchor: trialEnd, billing_schedules: [], cancel_at_period_end: false },
      cancellation_details: nulls("comment", "feedback", "feedback_option", "reason"),
      ...{ collection_method: "charge_automatically", default_tax_rates: [], discounts: [] },
      invoice_settings: { ...nulls("account_tax_ids", "custom_fields", "description", "footer"), issuer: OWN_ACCOUNT },
      items: { object: "list", data, has_more: false, url: `/v1/subscription_items?subscription=${id}` },
      metadata: given.metadata ?? {},
      payment_settings: nulls("payment_method_options", "payment_method_types", "save_default_payment_method"),
      ...{ start_date: now, status: "trialing", trial_end: trialEnd, trial_start: now },
      trial_settings: { end_behavior: { billing_cycle_anchor: null, missing_payment_method: "cancel" } },
    });
    const invoice = createInvoice(made, "subscription_create", call);
    const invoiced = { ...made, latest_invoice: invoice.id };
    emit("customer.subscription.created", invoiced);
    markPaid(finalizeInvoice(invoice, call), call);
    return updateSubscription(invoiced, {}, call);
  }),

  operation("POST /v1/subscriptions/:id", update, ({ cancel_at_period_end, items = [], trial_end }, call) => {
    let subscription = running(call.id, call.store);
    for (const [index, { price }] of items.entries())
      subscription = changePrice(subscription, activePrice(price, index, call.store), call);
    if (trial_end !== undefined) subscription = moveTrialEnd(subscription, trial_end, call);
    if (cancel_at_period_end) subscription = cancelAtPeriodEnd({ ...subscription, cancel_at_period_end }, call);
    return subscription;
  }),

  operation("DELETE /v1/subscriptions/:id", cancel, ({ cancellation_details = {} }, call) =>
    endSubscription(merge(running(call.id, call.store), { cancellation_details }), "cancellation_requested", call),
  ),

  listing("/v1/invoices", "Invoice", listedInvoices, (invoice, { status = invoice.status, subscription }) => {
    const isOf = !subscription || invoice.parent?.subscription_details?.subscription === subscription;
    return isOf && invoice.status === status;
  }),

  operation(
    "POST /v1/invoices/create_preview",
    { subscription: text } satisfies Readers<Stripe.InvoiceCreatePreviewParams>,
    ({ subscription }, call) => previewInvoice(running(subscription, call.store), call),
  ),
];

/** Changes the price during a trial or a period. The next invoice uses the new price. */
export function changePrice(subscription: Subscription, price: Price, effects: Effects): Subscription {
  const data = subscription.items.data.map((item) => ({ ...item, price, plan: planOf(price) }));
  return updateSubscription(subscription, { items: { ...subscription.items, data } }, effects);
}

/** @param time seconds since 1970 */
function moveTrialEnd(subscription: Subscription, time: number, effects: Effects): Subscription {
  const data = subscription.items.data.map((item) => ({ ...item, current_period_end: time }));
  const items = { ...subscription.items, data };
  return updateSubscription(subscription, { trial_end: time, billing_cycle_anchor: time, items }, effects);
}

function activePrice(id: string, index: number, store: Store): Price {
  const param = `items[${index}][price]`;
  const price = existing("Price", id, store, param);
  if (price.active) return price;
  throw invalidRequest("The price specified is inactive. This field only accepts active prices.", { param });
}

function requireTaxLocation(customer: Customer): void {
  if (taxOf(customer).automatic_tax === "supported") return;
  throw invalidRequest("The customer's location isn't recognized. Set a valid customer address.", {
    code: "customer_tax_location_invalid",
  });
}

function running(id: string, store: Store): Subscription {
  const found = store.find("Subscription", id);
  return found && !hasEnded(found) ? found : missing("Subscription", id);
}

function planOf(price: Price): Item["plan"] {
  const { id, active, billing_scheme, created, currency, livemode, metadata, nickname, product } = price;
  const { unit_amount: amount, unit_amount_decimal: amount_decimal } = price;
  return {
    ...{ id, object: "plan", active, amount, amount_decimal, billing_scheme, created, currency, livemode, metadata },
    ...nulls("meter", "tiers_mode", "transform_usage", "trial_period_days"),
    ...{ interval: "month", interval_count: 1, nickname, product, usage_type: "licensed" },
  };
}
