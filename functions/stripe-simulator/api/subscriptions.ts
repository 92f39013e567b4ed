import { Hono } from "hono";
import * as z from "zod";
import { requireSecretKey } from "../authorization";
import { cardOutcome } from "../cards";
import { invalidRequest, noSuch } from "../errors";
import { newId, unixTime } from "../ids";
import type { Subscription } from "../objects";
import { cancelSubscription } from "./cancel-subscription";
import type { StripeContext } from "./context";
import { requireCustomer } from "./customers";
import { expanded } from "./expand";
import { metadata, page, paging, parameters } from "./parameters";

const DAY_SECONDS = 24 * 60 * 60;
const MONTH_SECONDS = 30 * DAY_SECONDS;

const createParameters = z.object({
  customer: z.string(),
  default_payment_method: z.string().optional(),
  items: z.record(z.string(), z.object({ price: z.string() })),
  metadata,
  trial_period_days: z.coerce.number().int().min(1).max(730).optional(),
  trial_settings: z
    .object({ end_behavior: z.object({ missing_payment_method: z.enum(["cancel", "create_invoice", "pause"]) }) })
    .default({ end_behavior: { missing_payment_method: "create_invoice" } }),
});

const updateParameters = z.object({
  cancel_at_period_end: z.stringbool().optional(),
  metadata,
  trial_end: z.literal("now").optional(),
});

const listParameters = z.object({
  customer: z.string().optional(),
  status: z.enum(["all", "trialing", "active", "past_due", "canceled"]).optional(),
  ...paging,
});

/** https://docs.stripe.com/api/subscriptions */
export const subscriptions = new Hono<StripeContext>();

subscriptions.use(async (c, next) => {
  requireSecretKey(c.var.key);
  await next();
});

subscriptions.post("/", (c) => {
  const { store, emit } = c.var;
  const given = parameters(createParameters, c.var.form);
  const customer = requireCustomer(given.customer, store);
  const card = given.default_payment_method;
  if (card !== undefined && store.paymentMethod(card)?.customer !== customer.id) {
    throw invalidRequest(
      `The customer does not have a payment method with the ID ${card}. The payment method must be attached to the customer.`,
      { code: "resource_missing", param: "default_payment_method" },
    );
  }
  const created = unixTime();
  const trialEnd = given.trial_period_days === undefined ? null : created + given.trial_period_days * DAY_SECONDS;
  const subscription: Subscription = {
    id: newId("sub"),
    object: "subscription",
    cancel_at: null,
    cancel_at_period_end: false,
    canceled_at: null,
    created,
    customer: customer.id,
    default_payment_method: card ?? null,
    ended_at: null,
    items: {
      object: "list",
      data: Object.entries(given.items).map(([index, item]) => {
        const price = store.price(item.price);
        if (!price) {
          const param = `items[${index}][price]`;
          throw invalidRequest(`No such price: '${item.price}'`, { code: "resource_missing", param });
        }
        return {
          id: newId("si", 14),
          object: "subscription_item",
          current_period_start: created,
          current_period_end: trialEnd ?? created + MONTH_SECONDS,
          price,
          quantity: 1,
        };
      }),
    },
    latest_invoice: null,
    livemode: false,
    metadata: given.metadata,
    start_date: created,
    status: trialEnd === null ? "active" : "trialing",
    trial_end: trialEnd,
    trial_settings: given.trial_settings,
    trial_start: trialEnd === null ? null : created,
  };
  store.save(subscription);
  emit("customer.subscription.created", subscription);
  return c.json(subscription);
});

subscriptions.get("/", (c) => {
  const { customer, status, ...wanted } = parameters(listParameters, c.var.form);
  const found = c.var.store
    .subscriptions()
    .filter((subscription) => customer === undefined || subscription.customer === customer)
    // Stripe's default.
    .filter((subscription) =>
      status === undefined ? subscription.status !== "canceled" : status === "all" || subscription.status === status,
    );
  return c.json(page("/v1/subscriptions", found, wanted));
});

subscriptions.get("/:id", (c) => {
  const found = c.var.store.subscription(c.req.param("id"));
  if (!found) throw noSuch("subscription", c.req.param("id"));
  return c.json(expanded(found, c.var));
});

subscriptions.post("/:id", (c) => {
  const { store, emit } = c.var;
  const found = store.subscription(c.req.param("id"));
  if (!found || found.status === "canceled") throw noSuch("subscription", c.req.param("id"));
  const given = parameters(updateParameters, c.var.form);
  const changed: Subscription = {
    ...found,
    cancel_at_period_end: given.cancel_at_period_end ?? found.cancel_at_period_end,
    metadata: { ...found.metadata, ...given.metadata },
  };
  if (given.trial_end === "now" && found.status === "trialing") {
    changed.trial_end = unixTime();
    const customerCard = store.customer(found.customer)?.invoice_settings.default_payment_method;
    const card = store.cardNumber(found.default_payment_method ?? customerCard ?? "");
    changed.status = cardOutcome(card ?? "") === "charge-fails" ? "past_due" : "active";
    emit("customer.subscription.trial_will_end", { ...found, trial_end: changed.trial_end });
  }
  store.save(changed);
  emit("customer.subscription.updated", changed);
  return c.json(changed);
});

subscriptions.delete("/:id", (c) => {
  const found = c.var.store.subscription(c.req.param("id"));
  if (!found || found.status === "canceled") throw noSuch("subscription", c.req.param("id"));
  return c.json(cancelSubscription(found, c.var));
});
