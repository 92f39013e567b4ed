import * as z from "zod/mini";

/* What the holder of a publishable key and the client secret sees, in the fields that matter here. */

const nullableString = z.nullable(z.string());

const setupError = z.object({
  type: z.enum(["card_error", "invalid_request_error"]),
  code: z.string(),
  decline_code: z.optional(z.string()),
  doc_url: z.optional(z.string()),
  message: z.string(),
});

export const browserSetupIntent = z.object({
  id: z.string(),
  object: z.literal("setup_intent"),
  cancellation_reason: z.nullable(z.enum(["abandoned", "requested_by_customer", "duplicate"])),
  client_secret: z.string(),
  created: z.number(),
  description: nullableString,
  last_setup_error: z.nullable(setupError),
  livemode: z.literal(false),
  next_action: z.nullable(
    z.object({
      type: z.enum(["redirect_to_url", "use_stripe_sdk"]),
      redirect_to_url: z.optional(z.object({ url: z.string(), return_url: z.string() })),
      use_stripe_sdk: z.optional(z.object({})),
    }),
  ),
  payment_method: nullableString,
  payment_method_types: z.array(z.string()),
  status: z.enum([
    "requires_payment_method",
    "requires_confirmation",
    "requires_action",
    "processing",
    "canceled",
    "succeeded",
  ]),
  usage: z.enum(["off_session", "on_session"]),
});

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
