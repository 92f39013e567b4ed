import * as z from "zod/mini";

/* Stripe's objects, in the fields that matter here. https://docs.stripe.com/api */

const nullableString = z.nullable(z.string());
const metadata = z.record(z.string(), z.string());
const base = { id: z.string(), created: z.number(), livemode: z.literal(false) };

const address = z.object({
  city: nullableString,
  country: nullableString,
  line1: nullableString,
  line2: nullableString,
  postal_code: nullableString,
  state: nullableString,
});

export const customer = z.object({
  ...base,
  object: z.literal("customer"),
  deleted: z.optional(z.literal(true)),
  email: nullableString,
  name: nullableString,
  business_name: nullableString,
  phone: nullableString,
  address: z._default(z.nullable(address), null),
  description: nullableString,
  metadata,
  invoice_settings: z.object({ default_payment_method: nullableString }),
});
export type Customer = z.output<typeof customer>;

export const billingDetails = z.object({
  address,
  email: nullableString,
  name: nullableString,
  phone: nullableString,
});

export const paymentMethod = z.object({
  ...base,
  object: z.literal("payment_method"),
  type: z.literal("card"),
  customer: nullableString,
  billing_details: billingDetails,
  card: z.object({
    brand: z.string(),
    exp_month: z.number(),
    exp_year: z.number(),
    fingerprint: z._default(nullableString, null),
    last4: z.string(),
    funding: z.literal("credit"),
    country: z.literal("US"),
  }),
  metadata,
});
export type PaymentMethod = z.output<typeof paymentMethod>;

const setupError = z.object({
  type: z.enum(["card_error", "invalid_request_error"]),
  code: z.string(),
  decline_code: z.optional(z.string()),
  doc_url: z.optional(z.string()),
  message: z.string(),
});
export type SetupError = z.output<typeof setupError>;

/** What the holder of a publishable key and the client secret sees. */
const publicSetupIntent = {
  ...base,
  object: z.literal("setup_intent"),
  cancellation_reason: z.nullable(z.enum(["abandoned", "requested_by_customer", "duplicate"])),
  client_secret: z.string(),
  description: nullableString,
  last_setup_error: z.nullable(setupError),
  next_action: z.nullable(
    z.object({
      type: z.literal("redirect_to_url"),
      redirect_to_url: z.object({ url: z.string(), return_url: z.string() }),
    }),
  ),
  payment_method: nullableString,
  payment_method_types: z.array(z.string()),
  status: z.enum(["requires_payment_method", "requires_confirmation", "requires_action", "canceled", "succeeded"]),
  usage: z.enum(["off_session", "on_session"]),
};

export const browserSetupIntent = z.object(publicSetupIntent);
export type BrowserSetupIntent = z.output<typeof browserSetupIntent>;

export const setupIntent = z.object({
  ...publicSetupIntent,
  allowed_payment_method_types: z.nullable(z.array(z.string())),
  customer: nullableString,
  latest_attempt: nullableString,
  metadata,
});
export type SetupIntent = z.output<typeof setupIntent>;

export const product = z.object({
  ...base,
  object: z.literal("product"),
  active: z.boolean(),
  name: z.string(),
  metadata,
});
export type Product = z.output<typeof product>;

export const price = z.object({
  ...base,
  object: z.literal("price"),
  active: z.boolean(),
  currency: z.string(),
  lookup_key: nullableString,
  metadata,
  product: z.string(),
  recurring: z.object({ interval: z.enum(["day", "week", "month", "year"]), interval_count: z.literal(1) }),
  type: z.literal("recurring"),
  unit_amount: z.number(),
});
export type Price = z.output<typeof price>;

export const subscription = z.object({
  ...base,
  object: z.literal("subscription"),
  cancel_at: z._default(z.nullable(z.number()), null),
  cancel_at_period_end: z.boolean(),
  canceled_at: z.nullable(z.number()),
  customer: z.string(),
  default_payment_method: nullableString,
  ended_at: z.nullable(z.number()),
  items: z.object({
    object: z.literal("list"),
    data: z.array(
      z.object({
        id: z.string(),
        object: z.literal("subscription_item"),
        current_period_end: z.number(),
        current_period_start: z.number(),
        price,
        quantity: z.literal(1),
      }),
    ),
  }),
  latest_invoice: z._default(nullableString, null),
  metadata,
  start_date: z.number(),
  status: z.enum(["trialing", "active", "past_due", "canceled"]),
  trial_end: z.nullable(z.number()),
  trial_settings: z.object({
    end_behavior: z.object({ missing_payment_method: z.enum(["cancel", "create_invoice", "pause"]) }),
  }),
  trial_start: z.nullable(z.number()),
});
export type Subscription = z.output<typeof subscription>;

/** A webhook endpoint, or a configuration of the Customer Portal. */
export const accountSetting = z.looseObject({ id: z.string() });
export type AccountSetting = z.output<typeof accountSetting>;

/** https://docs.stripe.com/api/errors */
export const stripeError = z.object({
  type: z.enum(["api_error", "card_error", "idempotency_error", "invalid_request_error", "rate_limit_error"]),
  code: z.optional(z.string()),
  decline_code: z.optional(z.string()),
  doc_url: z.optional(z.string()),
  message: z.string(),
  param: z.optional(z.string()),
  setup_intent: z.optional(browserSetupIntent),
});
export type StripeErrorBody = z.output<typeof stripeError>;
