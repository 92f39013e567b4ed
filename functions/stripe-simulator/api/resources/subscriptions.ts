import type Stripe from "stripe";
import { endPeriod, previewInvoice } from "../../clock/advance";
import { chargeInvoice } from "../../clock/charge-invoices";
import { cardToCharge, createInvoice, finalizeInvoice } from "../../clock/invoicing";
import { cancellationDetails, endSubscription, hasEnded, updateSubscription } from "../../clock/subscription-lifecycle";
import { DAY, monthAfter } from "../../clock/time";
import { newId } from "../../store/ids";
import { type Customer, make, merge, type Price, type Subscription } from "../../store/objects";
import type { Store } from "../../store/store";
import { invalidRequest, missingParameter, noSuch } from "../errors";
import type { Call, Handlers } from "../operation-context";
import { requireCard, requireCustomer } from "./customers";

const NO_CARD =
  "This customer has no attached payment source or default payment method. Please consider adding a default payment method. For more information, visit https://stripe.com/docs/billing/subscriptions/payment-methods-setting.";

export const subscriptions = {
  "POST /v1/subscriptions": (given, call) => {
    const { store, emit, now } = call;
    requireKnown(given, CREATED_WITH);
    const { customer: customerId, items = [], trial_period_days, trial_settings, ...others } = given;
    const { off_session: _, expand: __, ...fields } = others;
    const customer = requireCustomer(customerId, store);
    const { default_payment_method: card } = fields;
    if (card) requireCard(card, customer.id, "default_payment_method", store);
    if (trial_period_days !== undefined && (trial_period_days < 1 || trial_period_days > 730)) {
      throw invalidRequest("Invalid trial_period_days: must be between 1 and 730.", { param: "trial_period_days" });
    }
    if (fields.automatic_tax?.enabled) requireTaxLocation(customer);
    const created = now(customer.id);
    const trialEnd = trial_period_days === undefined ? null : created + trial_period_days * DAY;
    if (items.length === 0) throw missingParameter("items");
    const id = newId("sub");
    const period = {
      current_period_start: created,
      current_period_end: trialEnd ?? monthAfter(created, created),
    };
    const data = items.map(({ price: priceId, quantity = 1 }, index) => {
      const price = requirePrice(priceId, `items[${index}][price]`, store);
      return { id: newId("si", 14), created, ...period, plan: planOf(price), price, quantity, subscription: id };
    });
    const blank = make("Subscription", {
      id,
      billing_cycle_anchor: trialEnd ?? created,
      billing_mode: { type: "flexible", flexible: { proration_discounts: "included" } },
      cancellation_details: {},
      ...{ collection_method: "charge_automatically", created, currency: "usd", customer: customer.id },
      invoice_settings: { issuer: { type: "self" } },
      items: { data, url: `/v1/subscription_items?subscription=${id}` },
      payment_settings: { save_default_payment_method: "off" },
      ...{ start_date: created, status: trialEnd === null ? "incomplete" : "trialing" },
      ...{ test_clock: customer.test_clock, trial_settings: trialSettings(trial_settings) },
      ...{ trial_end: trialEnd, trial_start: trialEnd === null ? null : created },
    });
    const made = merge("Subscription", blank, fields);
    if (trialEnd === null && !cardToCharge(made, call)) throw invalidRequest(NO_CARD, { code: "resource_missing" });
    const invoice = createInvoice(made, "subscription_create", call);
    const invoiced = store.save("Subscription", { ...made, latest_invoice: invoice.id });
    emit("customer.subscription.created", invoiced);
    chargeInvoice(finalizeInvoice(invoice, call), invoiced, call);
    return updateSubscription(store.find("Subscription", id) ?? invoiced, {}, call);
  },

  "POST /v1/invoices/create_preview": (given, call) => {
    requireKnown(given, ["subscription", "expand"]);
    return previewInvoice(running(given.subscription ?? "", call.store), call);
  },

  "POST /v1/subscriptions/:id": (given, call) => {
    const { store, now, id } = call;
    const found = running(id, store);
    requireKnown(given, CHANGED_BY);
    const { cancel_at_period_end, pause_collection, trial_end, metadata } = given;
    if (pause_collection && pause_collection.behavior !== "void") throw new Error("it pauses only by voiding");
    if (typeof trial_end === "number") throw new Error("it ends a trial only now");
    const time = now(found.customer);
    const updated = updateSubscription(
      found,
      {
        ...merge("Subscription", found, { metadata, pause_collection }),
        ...(cancel_at_period_end !== undefined && cancellation(found, cancel_at_period_end, time)),
      },
      call,
    );
    if (trial_end === "now" && found.status === "trialing") endTrial(updated, time, call);
    return store.find("Subscription", id) ?? updated;
  },

  "DELETE /v1/subscriptions/:id": ({ cancellation_details = {} }, call) => {
    const found = running(call.id, call.store);
    return endSubscription(merge("Subscription", found, { cancellation_details }), "cancellation_requested", call);
  },
} satisfies Partial<Handlers>;

const CREATED_WITH = [
  ...["automatic_tax", "customer", "default_payment_method", "items", "metadata", "off_session"],
  ...["trial_period_days", "trial_settings", "expand"],
];
const CHANGED_BY = ["cancel_at_period_end", "metadata", "pause_collection", "trial_end", "expand"];

/** https://docs.stripe.com/tax/customer-locations */
function requireTaxLocation({ address }: Customer): void {
  const { country, postal_code } = address ?? {};
  if (country && (country !== "US" || postal_code)) return;
  throw invalidRequest("The customer's location isn't recognized. Set a valid customer address.", {
    code: "customer_tax_location_invalid",
  });
}

function requireKnown(given: object, known: string[]): void {
  const unknown = Object.keys(given).find((name) => !known.includes(name));
  if (unknown) throw new Error(`it does not know what to do with the parameter ${unknown}`);
}

function running(id: string, store: Store): Subscription {
  const found = store.find("Subscription", id);
  if (!found || hasEnded(found)) throw noSuch("subscription", id);
  return found;
}

function requirePrice(id: string | undefined, param: string, store: Store): Price {
  if (id === undefined) throw missingParameter(param);
  const price = store.find("Price", id);
  if (!price) throw noSuch("price", id, param, 400);
  if (price.recurring?.interval !== "month") throw new Error("it subscribes only to prices for each month");
  return price;
}

function planOf(price: Price): Subscription["items"]["data"][number]["plan"] {
  const { id, active, billing_scheme, created, currency, livemode, metadata, nickname, product } = price;
  const { unit_amount: amount, unit_amount_decimal: amount_decimal, recurring } = price;
  return {
    ...{ id, object: "plan", active, amount, amount_decimal, billing_scheme, created, currency, livemode, metadata },
    ...{ interval: recurring?.interval ?? "month", interval_count: 1, meter: null, nickname, product },
    ...{ tiers_mode: null, transform_usage: null, trial_period_days: null, usage_type: "licensed" },
  };
}

function trialSettings(given?: Stripe.SubscriptionCreateParams.TrialSettings): Subscription["trial_settings"] {
  const { missing_payment_method = "create_invoice" } = given?.end_behavior ?? {};
  return { end_behavior: { billing_cycle_anchor: null, missing_payment_method } };
}

function cancellation(found: Subscription, cancel_at_period_end: boolean, now: number): Partial<Subscription> {
  const end = found.items.data[0]?.current_period_end ?? now;
  return {
    cancel_at: cancel_at_period_end ? end : null,
    cancel_at_period_end,
    canceled_at: cancel_at_period_end ? (found.canceled_at ?? now) : null,
    ...cancellationDetails(found, cancel_at_period_end ? "cancellation_requested" : null),
  };
}

function withTrialEnd(found: Subscription, trialEnd: number): Partial<Subscription> {
  const data = found.items.data.map((item) => ({ ...item, current_period_end: trialEnd }));
  return { trial_end: trialEnd, status: "trialing", billing_cycle_anchor: trialEnd, items: { ...found.items, data } };
}

/** The first charge follows at once, not an hour later. */
function endTrial(subscription: Subscription, time: number, call: Call): void {
  call.emit("customer.subscription.trial_will_end", { ...subscription, trial_end: time });
  endPeriod({ ...subscription, ...withTrialEnd(subscription, time) }, call);
  const active = call.store.find("Subscription", subscription.id);
  const invoice = call.store.find("Invoice", active?.latest_invoice ?? "");
  if (active && invoice?.status === "draft") chargeInvoice(finalizeInvoice(invoice, call), active, call);
}
