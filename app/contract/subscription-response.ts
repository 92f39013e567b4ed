import * as z from "zod/mini";

/** Stripe's have about 60 characters; 1,000 still fit into a session cookie. */
const clientSecret = z.string().check(z.minLength(1), z.maxLength(1000));

/** `status_url`: where this sign-up's state can be asked for; optional, and left out where it is no URL of bearable length. */
export const subscriptionResponse = z.object({
  client_secret: clientSecret,
  status_url: z.catch(z.optional(z.url().check(z.maxLength(300))), undefined),
});

/** The answer of a `status_url`. `card_used`: the sign-up goes on with another card, under this secret. */
export const subscriptionStatus = z.discriminatedUnion("status", [
  z.object({ status: z.enum(["pending", "trial", "ended"]) }),
  z.object({ status: z.literal("card_used"), client_secret: clientSecret }),
]);

export type SubscriptionStatus = z.output<typeof subscriptionStatus>;
