import * as z from "zod";

const CARD_EVENTS = ["setup_intent.succeeded", "setup_intent.setup_failed"] as const;

const SUBSCRIPTION_EVENTS = [
  "customer.subscription.created",
  "customer.subscription.updated",
  "customer.subscription.deleted",
  "customer.subscription.paused",
  "customer.subscription.resumed",
  "customer.subscription.trial_will_end",
] as const;

export const WEBHOOK_EVENTS = [...CARD_EVENTS, ...SUBSCRIPTION_EVENTS];

const id = z.string().min(1);

const signUpEvent = z.discriminatedUnion("type", [
  z.object({
    id,
    type: z.enum(CARD_EVENTS),
    data: z.object({ object: z.object({ id, customer: id, metadata: z.object({ sign_up_id: z.guid() }) }) }),
  }),
  z.object({
    id,
    type: z.enum(SUBSCRIPTION_EVENTS),
    data: z.object({ object: z.object({ id, customer: id }) }),
  }),
]);

export type StripeEvent = { id: string; type: string };

export type CardEvent = { signUpId: string; customerId: string; setupIntentId: string };

/** What an event says; `ignored` is about nothing of ours. */
export type EventContent =
  | { status: "ignored" }
  | { status: "card-set-up" | "card-declined"; event: StripeEvent; card: CardEvent }
  | { status: "subscription-changed"; event: StripeEvent; stripeSubscriptionId: string; customerId: string };

/** @param event from a webhook or from Stripe's list of events */
export function eventContentOf(event: unknown): EventContent {
  const parsed = signUpEvent.safeParse(event);
  if (!parsed.success) return { status: "ignored" };
  const { id, type, data } = parsed.data;
  if (type !== "setup_intent.succeeded" && type !== "setup_intent.setup_failed") {
    const { id: stripeSubscriptionId, customer: customerId } = data.object;
    return { status: "subscription-changed", event: { id, type }, stripeSubscriptionId, customerId };
  }
  const { id: setupIntentId, customer: customerId, metadata } = data.object;
  const status = type === "setup_intent.succeeded" ? "card-set-up" : "card-declined";
  return { status, event: { id, type }, card: { signUpId: metadata.sign_up_id, customerId, setupIntentId } };
}
