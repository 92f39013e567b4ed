import Stripe from "stripe";
import * as z from "zod";

/** Keeps recorded events from being sent again. */
const TOLERANCE_SECONDS = 300;

const id = z.string().min(1);

const signUpEvent = z.discriminatedUnion("type", [
  z.object({
    id,
    type: z.enum(["setup_intent.succeeded", "setup_intent.setup_failed"]),
    data: z.object({ object: z.object({ id, customer: id, metadata: z.object({ sign_up_id: z.guid() }) }) }),
  }),
  z.object({
    id,
    type: z.enum([
      "customer.subscription.created",
      "customer.subscription.updated",
      "customer.subscription.deleted",
      "customer.subscription.paused",
      "customer.subscription.resumed",
      "customer.subscription.trial_will_end",
    ]),
    data: z.object({ object: z.object({ id, customer: id }) }),
  }),
]);

export type StripeEvent = { id: string; type: string };

/** What an event says of a setup intent; only Stripe's answer is believed. */
export type CardEvent = { signUpId: string; customerId: string; setupIntentId: string };

/** `rejected`: the signature is missing, wrong or too old. */
export type WebhookContent =
  | { status: "rejected" }
  | { status: "ignored" }
  | { status: "card-set-up" | "card-declined"; event: StripeEvent; card: CardEvent }
  | { status: "subscription-changed"; event: StripeEvent; stripeSubscriptionId: string; customerId: string };

export type StripeWebhook = ReturnType<typeof stripeWebhook>;

export function stripeWebhook(stripe: Stripe, secret: string) {
  const cryptoProvider = Stripe.createSubtleCryptoProvider();

  async function verify(body: string, signature: string): Promise<unknown> {
    try {
      return await stripe.webhooks.constructEventAsync(body, signature, secret, TOLERANCE_SECONDS, cryptoProvider);
    } catch {
      return undefined;
    }
  }

  return {
    /** @param body exactly as received, since the signature covers its bytes */
    async read(body: string, signature: string): Promise<WebhookContent> {
      const received = await verify(body, signature);
      if (received === undefined) return { status: "rejected" };
      const parsed = signUpEvent.safeParse(received);
      if (!parsed.success) return { status: "ignored" };

      const { id, type, data } = parsed.data;
      const event = { id, type };
      if (type !== "setup_intent.succeeded" && type !== "setup_intent.setup_failed") {
        const { id: stripeSubscriptionId, customer: customerId } = data.object;
        return { status: "subscription-changed", event, stripeSubscriptionId, customerId };
      }
      const { id: setupIntentId, customer: customerId, metadata } = data.object;
      const status = type === "setup_intent.succeeded" ? "card-set-up" : "card-declined";
      return { status, event, card: { signUpId: metadata.sign_up_id, customerId, setupIntentId } };
    },
  };
}
