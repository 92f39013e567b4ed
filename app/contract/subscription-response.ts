import * as z from "zod/mini";
import { MAX_CENTS } from "./money";

/** Stripe's secrets have about 70 characters; 300 fit in the session cookie beside the longest form. */
const clientSecret = z.string().check(z.minLength(1), z.maxLength(300));

/** The monthly price that a sign-up keeps. Missing without a plan. Ignored if it is not valid or not in US cents. */
export const priceFields = {
  price_cents: z.catch(z.optional(z.int().check(z.minimum(1), z.maximum(MAX_CENTS))), undefined),
  currency: z.catch(z.optional(z.literal("usd")), undefined),
};

/** The monthly price in an answer, in US cents: the sign-up's agreed price, or the plan's current one after `price-changed`. */
export function priceCentsIn(answer: {
  status?: string;
  price_cents?: number | undefined;
  currency?: "usd" | undefined;
}) {
  return answer.currency === undefined ? undefined : answer.price_cents;
}

/**
 * `status_url` reports the sign-up's status. `expires_at` is when the API ends a sign-up without a card (ISO 8601, UTC). Both are
 * optional, and ignored if they are not valid; so is an `expires_at` that is not in the future.
 */
export const subscriptionResponse = z.object({
  client_secret: clientSecret,
  ...priceFields,
  status_url: z.catch(z.optional(z.url().check(z.maxLength(300))), undefined),
  expires_at: z.catch(z.optional(z.iso.datetime()), undefined),
});

/** Response of a `status_url`. After `card_used`, the sign-up continues with another card under the new secret. */
export const subscriptionStatus = z.discriminatedUnion("status", [
  z.object({ status: z.literal("ended") }),
  z.object({ status: z.literal("pending"), ...priceFields }),
  z.object({
    status: z.literal("trial"),
    ...priceFields,
    trial_end: z.catch(z.optional(z.iso.datetime().check(z.maxLength(40))), undefined),
  }),
  z.object({ status: z.literal("card_used"), client_secret: clientSecret, ...priceFields }),
]);

export type SubscriptionStatus = z.output<typeof subscriptionStatus>;
