import type Stripe from "stripe";
import { endPeriod } from "../clock/advance";
import { chargeInvoice } from "../clock/charges";
import { cardToCharge, createInvoice, finalizeInvoice } from "../clock/invoices";
import { endSubscription, hasEnded, updateSubscription } from "../clock/subscriptions";
import { DAY, monthAfter } from "../clock/time";
import { newId } from "../store/ids";
import { complete, type Price, type Subscription } from "../store/objects";
import type { Store } from "../store/store";
import type { Call, Handlers } from "./context";
import { requireCustomer } from "./customers";
import { invalidRequest, noSuch } from "./errors";
import { isWithin, metadataAfter, page, refuseOthers } from "./lists";

const NO_CARD =
  "This customer has no attached payment source or default payment method. Please consider adding a default payment method. For more information, visit https://stripe.com/docs/billing/subscriptions/payment-methods-setting.";

/** https://docs.stripe.com/api/subscriptions */
export const subscriptions = {
  "POST /v1/subscriptions": (given, call) => {
    const { store, emit, now } = call;
    const {
      cancel_at_period_end = false,
      default_payment_method: card,
      items = [],
      metadata,
      off_session: _,
      ...others
    } = given;
    const { trial_period_days, trial_end, trial_settings, description, ...rest } = others;
    const { customer: customerId, payment_behavior = "allow_incomplete", ...unknown } = rest;
    refuseOthers(unknown);
    if (customerId === undefined) {
      throw invalidRequest("Missing required param: customer.", { code: "parameter_missing", param: "customer" });
    }
    const customer = requireCustomer(customerId, store);
    if (card !== undefined) requireCard(card, customer.id, store);
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
    const period = { current_period_start: created, current_period_end: trialEnd ?? monthAfter(created, created) };
    const made = complete("Subscription", {
      id,
      object: "subscription",
      automatic_tax: { enabled: false },
      billing_cycle_anchor: trialEnd ?? created,
      billing_mode: { type: "flexible", flexible: { proration_discounts: "included" } },
      billing_schedules: [],
      cancel_at: cancel_at_period_end ? period.current_period_end : null,
      cancel_at_period_end,
      canceled_at: cancel_at_period_end ? created : null,
      cancellation_details: { reason: cancel_at_period_end ? "cancellation_requested" : null },
      collection_method: "charge_automatically",
      created,
      currency: "usd",
      customer: customer.id,
      default_payment_method: card ?? null,
      default_tax_rates: [],
      description: description || null,
      discounts: [],
      invoice_settings: { issuer: { type: "self" } },
      items: {
        object: "list",
        has_more: false,
        url: `/v1/subscription_items?subscription=${id}`,
        data: items.map((item, index) => {
          const { price: priceId, quantity = 1, ...otherwise } = item;
          refuseOthers(otherwise);
          const price = requirePrice(priceId, `items[${index}][price]`, store);
          return {
            id: newId("si", 14),
            object: "subscription_item",
            created,
            ...period,
            discounts: [],
            metadata: {},
            plan: planOf(price),
            price,
            quantity,
            subscription: id,
            tax_rates: [],
          };
        }),
      },
      livemode: false,
      metadata: metadataAfter({}, metadata),
      payment_settings: { save_default_payment_method: "off" },
      start_date: created,
      status: trialEnd === null ? "incomplete" : "trialing",
      test_clock: customer.test_clock ?? null,
      trial_end: trialEnd,
      trial_settings: trialSettings(trial_settings),
      trial_start: trialEnd === null ? null : created,
    });
    if (trialEnd === null && !cardToCharge(made, call)) throw invalidRequest(NO_CARD, { code: "resource_missing" });
    store.save("Subscription", made);
    const invoice = createInvoice(made, "subscription_create", call);
    const invoiced = updateLatestInvoice(made, invoice.id, call);
    emit("customer.subscription.created", invoiced);
    const outcome = chargeInvoice(finalizeInvoice(invoice, call), invoiced, call);
    if (outcome === "failed" && payment_behavior === "error_if_incomplete")
      throw new Error("it only has allow_incomplete");
    return updateSubscription(current(id, store), {}, call);
  },

  "GET /v1/subscriptions": (given, { store }) => {
    const { customer, status, price, created, test_clock, limit, starting_after, ending_before, ...rest } = given;
    refuseOthers(rest);
    const isWanted = (one: Subscription) => {
      if (status === undefined) return one.status !== "canceled";
      return status === "all" || one.status === status || (status === "ended" && hasEnded(one));
    };
    const found = store
      .list("Subscription", customer)
      .filter((one) => isWanted(one) && isWithin(created, one.created))
      .filter((one) => price === undefined || one.items.data.some((item) => item.price.id === price))
      .filter((one) => test_clock === undefined || one.test_clock === test_clock);
    return page("/v1/subscriptions", found, { limit, starting_after, ending_before });
  },

  "GET /v1/subscriptions/:id": (_, { store, id }) => current(id, store),

  "POST /v1/subscriptions/:id": (given, call) => {
    const { store, now, id } = call;
    const found = running(id, store);
    const { cancel_at, cancel_at_period_end, cancellation_details, default_payment_method: card, ...others } = given;
    const { items, metadata, pause_collection, trial_end, trial_settings, proration_behavior: _, ...more } = others;
    const { description, off_session: __, ...rest } = more;
    refuseOthers(rest);
    if (card) requireCard(card, found.customer, store);
    const time = now(found.customer);
    const end = found.items.data[0]?.current_period_end ?? time;
    const cancelsAt =
      cancel_at_period_end === true ? end : cancel_at_period_end === false ? null : cancelTime(cancel_at, end);
    const endsAt = cancelsAt === undefined ? found.cancel_at : cancelsAt;
    const changed = updateSubscription(
      found,
      {
        ...(cancelsAt !== undefined && {
          cancel_at: endsAt,
          cancel_at_period_end: cancel_at_period_end ?? false,
          canceled_at: endsAt === null ? null : (found.canceled_at ?? time),
        }),
        cancellation_details: {
          comment: cancellation_details?.comment || null,
          feedback: cancellation_details?.feedback || null,
          feedback_option: null,
          reason: endsAt === null ? null : "cancellation_requested",
        },
        ...(card !== undefined && { default_payment_method: card || null }),
        ...(description !== undefined && { description: description || null }),
        ...(items && { items: { ...found.items, data: withPrices(found, items, store) } }),
        metadata: metadataAfter(found.metadata, metadata),
        ...(pause_collection !== undefined && {
          pause_collection: pause_collection ? { resumes_at: null, ...pause_collection } : null,
        }),
        ...(trial_settings && { trial_settings: trialSettings(trial_settings) }),
        ...(typeof trial_end === "number" && withTrialEnd(found, trial_end)),
      },
      call,
    );
    if (trial_end === "now" && found.status === "trialing") endTrial(changed, time, call);
    return current(id, store);
  },

  "DELETE /v1/subscriptions/:id": (given, call) => {
    const { cancellation_details, invoice_now: _, prorate: __, ...rest } = given;
    refuseOthers(rest);
    const found = running(call.id, call.store);
    const { comment, feedback } = cancellation_details ?? {};
    const details = { comment: comment || null, feedback: feedback || null, feedback_option: null, reason: null };
    return endSubscription({ ...found, cancellation_details: details }, "cancellation_requested", call);
  },

  "POST /v1/subscriptions/:id/resume": (given, call) => {
    refuseOthers({ ...given, billing_cycle_anchor: undefined, proration_behavior: undefined });
    const found = running(call.id, call.store);
    if (found.status !== "paused") throw invalidRequest("Only paused subscriptions can be resumed.");
    if (!cardToCharge(found, call)) throw invalidRequest(NO_CARD, { code: "resource_missing" });
    const start = call.now(found.customer);
    const period = { current_period_start: start, current_period_end: monthAfter(start, start) };
    const data = found.items.data.map((item) => ({ ...item, ...period }));
    const resumed: Subscription = {
      ...found,
      status: "active",
      billing_cycle_anchor: start,
      items: { ...found.items, data },
    };
    const invoice = createInvoice(resumed, "subscription_cycle", call);
    const { status, billing_cycle_anchor, items } = resumed;
    const changes = { status, billing_cycle_anchor, items, latest_invoice: invoice.id };
    const active = updateSubscription(found, changes, call, "customer.subscription.resumed");
    chargeInvoice(finalizeInvoice(invoice, call), active, call);
    return current(call.id, call.store);
  },
} satisfies Partial<Handlers>;

function current(id: string, store: Store): Subscription {
  const found = store.find("Subscription", id);
  if (!found) throw noSuch("subscription", id);
  return found;
}

/** Stripe no longer knows one that has ended when it is to be changed. */
function running(id: string, store: Store): Subscription {
  const found = current(id, store);
  if (hasEnded(found)) throw noSuch("subscription", id);
  return found;
}

function requireCard(card: string, customer: string, store: Store): void {
  if (store.find("PaymentMethod", card)?.customer === customer) return;
  throw invalidRequest(
    `The customer does not have a payment method with the ID ${card}. The payment method must be attached to the customer.`,
    { code: "resource_missing", param: "default_payment_method" },
  );
}

function requirePrice(id: string | undefined, param: string, store: Store): Price {
  if (id === undefined) throw invalidRequest(`Missing required param: ${param}.`, { code: "parameter_missing", param });
  const price = store.find("Price", id);
  if (!price) throw noSuch("price", id, param, 400);
  return price;
}

/** The same price under its older name. */
function planOf(price: Price): Subscription["items"]["data"][number]["plan"] {
  return {
    id: price.id,
    object: "plan",
    active: price.active,
    amount: price.unit_amount,
    amount_decimal: price.unit_amount_decimal,
    billing_scheme: "per_unit",
    created: price.created,
    currency: price.currency,
    interval: "month",
    interval_count: 1,
    livemode: false,
    metadata: price.metadata,
    meter: null,
    nickname: price.nickname,
    product: price.product,
    tiers_mode: null,
    transform_usage: null,
    trial_period_days: null,
    usage_type: "licensed",
  };
}

function updateLatestInvoice(subscription: Subscription, invoice: string, { store }: Call): Subscription {
  return store.save("Subscription", { ...subscription, latest_invoice: invoice });
}

function trialSettings(given?: Stripe.SubscriptionCreateParams.TrialSettings): Subscription["trial_settings"] {
  const { missing_payment_method = "create_invoice", ...rest } = given?.end_behavior ?? {};
  refuseOthers(rest);
  return { end_behavior: { billing_cycle_anchor: null, missing_payment_method } };
}

/** @returns null for never, undefined for no change */
function cancelTime(given: Stripe.SubscriptionUpdateParams["cancel_at"], periodEnd: number): number | null | undefined {
  if (given === undefined) return undefined;
  if (given === "" || given === null) return null;
  return typeof given === "number" ? given : periodEnd;
}

function withTrialEnd(found: Subscription, trialEnd: number): Partial<Subscription> {
  const data = found.items.data.map((item) => ({ ...item, current_period_end: trialEnd }));
  return { trial_end: trialEnd, status: "trialing", billing_cycle_anchor: trialEnd, items: { ...found.items, data } };
}

/** The first charge follows at once, not an hour later. */
function endTrial(subscription: Subscription, time: number, call: Call): void {
  call.emit("customer.subscription.trial_will_end", { ...subscription, trial_end: time });
  endPeriod({ ...subscription, ...withTrialEnd(subscription, time) }, call);
  const active = current(subscription.id, call.store);
  const invoice = call.store.find("Invoice", active.latest_invoice ?? "");
  if (invoice?.status === "draft") chargeInvoice(finalizeInvoice(invoice, call), active, call);
}

function withPrices(found: Subscription, items: Stripe.SubscriptionUpdateParams.Item[], store: Store) {
  return found.items.data.map((known) => {
    const index = items.findIndex(({ id }) => id === known.id);
    const { id: _, price: priceId, quantity, ...rest } = items[index] ?? {};
    refuseOthers(rest);
    if (priceId === undefined) return { ...known, quantity: quantity ?? known.quantity };
    const price = requirePrice(priceId, `items[${index}][price]`, store);
    return { ...known, price, plan: planOf(price), quantity: quantity ?? known.quantity };
  });
}
