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

export const WEBHOOK_EVENTS = [...CARD_EVENTS, ...SUBSCRIPTION_EVENTS, "customer.created" as const];

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
  z.object({
    id,
    type: z.literal("customer.created"),
    created: z.number(),
    data: z.object({
      object: z.object({ id, metadata: z.object({ sign_up_id: z.guid(), subscription_api: z.string() }) }),
    }),
  }),
]);

export type StripeEvent = { id: string; type: string };

/** `api` is the URL of the API that made the customer. */
export type CreatedCustomer = { customerId: string; signUpId: string; api: string; createdAt: string };

export type CardEvent = { signUpId: string; setupIntentId: string };

/** What an event says; `ignored` is about nothing of ours. */
export type EventContent =
  | { kind: "ignored" }
  | { kind: "card-set-up" | "card-declined"; event: StripeEvent; card: CardEvent }
  | { kind: "subscription-changed"; event: StripeEvent; stripeSubscriptionId: string; customerId: string }
  | { kind: "customer-created"; event: StripeEvent; customer: CreatedCustomer };

export function eventContentOf(event: unknown): EventContent {
  const parsed = signUpEvent.safeParse(event);
  if (!parsed.success) return { kind: "ignored" };
  const { id, type, data } = parsed.data;
  if (type === "customer.created") {
    const { id: customerId, metadata } = data.object;
    const createdAt = new Date(parsed.data.created * 1000).toISOString();
    const customer = { customerId, signUpId: metadata.sign_up_id, api: metadata.subscription_api, createdAt };
    return { kind: "customer-created", event: { id, type }, customer };
  }
  if (type !== "setup_intent.succeeded" && type !== "setup_intent.setup_failed") {
    const { id: stripeSubscriptionId, customer: customerId } = data.object;
    return { kind: "subscription-changed", event: { id, type }, stripeSubscriptionId, customerId };
  }
  const { id: setupIntentId, metadata } = data.object;
  const kind = type === "setup_intent.succeeded" ? "card-set-up" : "card-declined";
  return { kind, event: { id, type }, card: { signUpId: metadata.sign_up_id, setupIntentId } };
}
