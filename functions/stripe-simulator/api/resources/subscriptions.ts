import type Stripe from "stripe";
import { endPeriod } from "../../clock/advance";
import { chargeInvoice } from "../../clock/charges";
import { cardToCharge, createInvoice, finalizeInvoice } from "../../clock/invoices";
import {
  cancellationDetails,
  endSubscription,
  hasEnded,
  updateSubscription,
  withPeriod,
} from "../../clock/subscriptions";
import { DAY, periodAfter } from "../../clock/time";
import { newId } from "../../store/ids";
import { make, merge, type Price, type Subscription } from "../../store/objects";
import type { Store } from "../../store/store";
import type { Call, Handlers } from "../context";
import { invalidRequest, noSuch } from "../errors";
import { requireCard, requireCustomer } from "./customers";

const NO_CARD =
  "This customer has no attached payment source or default payment method. Please consider adding a default payment method. For more information, visit https://stripe.com/docs/billing/subscriptions/payment-methods-setting.";

/** https://docs.stripe.com/api/subscriptions */
export const subscriptions = {
  "POST /v1/subscriptions": (given, call) => {
    const { store, emit, now } = call;
    const { customer: customerId, items = [], trial_period_days, trial_end, trial_settings, ...others } = given;
    const { off_session: _, expand: __, payment_behavior, cancel_at_period_end = false, ...fields } = others;
    if (payment_behavior && payment_behavior !== "allow_incomplete") throw new Error("it only has allow_incomplete");
    const customer = requireCustomer(customerId, store);
    const { default_payment_method: card } = fields;
    if (card) requireCard(card, customer.id, "default_payment_method", store);
    if (trial_period_days !== undefined && (trial_period_days < 1 || trial_period_days > 730)) {
      throw invalidRequest("Invalid trial_period_days: must be between 1 and 730.", { param: "trial_period_days" });
    }
    const created = now(customer.id);
    const fixedEnd = typeof trial_end === "number" ? trial_end : null;
    const trialEnd = trial_period_days === undefined ? fixedEnd : created + trial_period_days * DAY;
    if (trialEnd !== null && trialEnd < created) {
      throw invalidRequest("Invalid timestamp: must be an integer Unix timestamp in the future.", {
        param: "trial_end",
      });
    }
    if (items.length === 0) {
      throw invalidRequest("Missing required param: items.", { code: "parameter_missing", param: "items" });
    }
    const id = newId("sub");
    const period = {
      current_period_start: created,
      current_period_end: trialEnd ?? periodAfter(created, created, intervalOf(items[0]?.price, store)),
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
    const made = { ...merge("Subscription", blank, fields), ...cancellation(blank, { cancel_at_period_end }, created) };
    if (trialEnd === null && !cardToCharge(made, call)) throw invalidRequest(NO_CARD, { code: "resource_missing" });
    const invoice = createInvoice(made, "subscription_create", call);
    const invoiced = store.save("Subscription", { ...made, latest_invoice: invoice.id });
    emit("customer.subscription.created", invoiced);
    chargeInvoice(finalizeInvoice(invoice, call), invoiced, call);
    return updateSubscription(store.find("Subscription", id) ?? invoiced, {}, call);
  },

  "POST /v1/subscriptions/:id": (given, call) => {
    const { store, now, id } = call;
    const found = running(id, store);
    const { cancel_at, cancel_at_period_end, items, pause_collection, trial_end, trial_settings, ...others } = given;
    const { proration_behavior: _, off_session: __, expand: ___, ...fields } = others;
    if (fields.default_payment_method) {
      requireCard(fields.default_payment_method, found.customer, "default_payment_method", store);
    }
    const time = now(found.customer);
    const merged = merge("Subscription", found, fields);
    const changed: Subscription = {
      ...merged,
      ...cancellation(merged, { cancel_at, cancel_at_period_end }, time),
      ...(items && { items: { ...found.items, data: withPrices(found, items, store) } }),
      ...(pause_collection && { pause_collection: { resumes_at: null, ...pause_collection } }),
      ...(pause_collection === "" && { pause_collection: null }),
      ...(trial_settings && { trial_settings: trialSettings(trial_settings) }),
      ...(typeof trial_end === "number" && withTrialEnd(found, trial_end)),
    };
    const updated = updateSubscription(found, changed, call);
    if (trial_end === "now" && found.status === "trialing") endTrial(updated, time, call);
    return store.find("Subscription", id) ?? updated;
  },

  "DELETE /v1/subscriptions/:id": ({ cancellation_details = {} }, call) => {
    const found = running(call.id, call.store);
    return endSubscription(merge("Subscription", found, { cancellation_details }), "cancellation_requested", call);
  },

  "POST /v1/subscriptions/:id/resume": (_, call) => {
    const found = running(call.id, call.store);
    if (found.status !== "paused") throw invalidRequest("Only paused subscriptions can be resumed.");
    if (!cardToCharge(found, call)) throw invalidRequest(NO_CARD, { code: "resource_missing" });
    const start = call.now(found.customer);
    const end = periodAfter(start, start, found.items.data[0]?.price.recurring?.interval);
    const changes = { status: "active", billing_cycle_anchor: start, ...withPeriod(found, start, end) } as const;
    const invoice = createInvoice({ ...found, ...changes }, "subscription_cycle", call);
    const resumed = { ...changes, latest_invoice: invoice.id };
    const active = updateSubscription(found, resumed, call, "customer.subscription.resumed");
    chargeInvoice(finalizeInvoice(invoice, call), active, call);
    return call.store.find("Subscription", call.id) ?? active;
  },
} satisfies Partial<Handlers>;

/** Stripe no longer knows one that has ended when it is to be changed. */
function running(id: string, store: Store): Subscription {
  const found = store.find("Subscription", id);
  if (!found || hasEnded(found)) throw noSuch("subscription", id);
  return found;
}

const intervalOf = (price: string | undefined, store: Store) => store.find("Price", price ?? "")?.recurring?.interval;

function requirePrice(id: string | undefined, param: string, store: Store): Price {
  if (id === undefined) throw invalidRequest(`Missing required param: ${param}.`, { code: "parameter_missing", param });
  const price = store.find("Price", id);
  if (!price) throw noSuch("price", id, param, 400);
  return price;
}

/** The same price under its older name. */
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

type Cancellation = Pick<Stripe.SubscriptionUpdateParams, "cancel_at" | "cancel_at_period_end">;

/** A time of its own, the period's end, or none any more. */
function cancellation(found: Subscription, given: Cancellation, now: number): Partial<Subscription> {
  const { cancel_at, cancel_at_period_end } = given;
  if (cancel_at === undefined && cancel_at_period_end === undefined) return {};
  const end = found.items.data[0]?.current_period_end ?? now;
  const at = cancel_at_period_end || typeof cancel_at === "string" ? end : (cancel_at ?? null);
  const time = cancel_at === "" ? null : at;
  return {
    cancel_at: time,
    cancel_at_period_end: cancel_at_period_end ?? false,
    canceled_at: time === null ? null : (found.canceled_at ?? now),
    ...cancellationDetails(found, time === null ? null : "cancellation_requested"),
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

function withPrices(found: Subscription, items: Stripe.SubscriptionUpdateParams.Item[], store: Store) {
  return found.items.data.map((known) => {
    const index = items.findIndex(({ id }) => id === known.id);
    const { price: priceId, quantity } = items[index] ?? {};
    if (priceId === undefined) return { ...known, quantity: quantity ?? known.quantity };
    const price = requirePrice(priceId, `items[${index}][price]`, store);
    return { ...known, price, plan: planOf(price), quantity: quantity ?? known.quantity };
  });
}
