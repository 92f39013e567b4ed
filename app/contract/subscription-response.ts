import * as z from "zod/mini";
import { termsFields } from "./terms-schema";

/** Stripe's secrets have about 70 characters; 300 fit in the session cookie beside the longest form. */
const clientSecret = z.string().check(z.trim(), z.minLength(1), z.maxLength(300));

// `expires_at` is when the API ends a sign-up without a card (ISO 8601, UTC). Both optional fields are ignored if they are
// not valid; so is an `expires_at` that is not in the future.
export const subscriptionResponse = z.object({
  client_secret: clientSecret,
  ...termsFields,
  status_url: z.catch(z.optional(z.url().check(z.maxLength(300))), undefined),
  expires_at: z.catch(z.optional(z.iso.datetime()), undefined),
});

/** Response of a `status_url`. After `card_used`, the sign-up continues with another card under the new secret. */
export const subscriptionStatus = z.discriminatedUnion("status", [
  z.object({ status: z.literal("ended") }),
  z.object({ status: z.literal("pending"), ...termsFields }),
  z.object({
    status: z.literal("trial"),
    ...termsFields,
    trial_end: z.catch(z.optional(z.iso.datetime().check(z.maxLength(40))), undefined),
  }),
  z.object({ status: z.literal("card_used"), client_secret: clientSecret, ...termsFields }),
]);

export type SubscriptionStatus = z.output<typeof subscriptionStatus>;
