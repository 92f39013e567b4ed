import type Stripe from "stripe";
import * as z from "zod";
import { call } from "../../stripe/client";
import { dateOf } from "../../stripe/fields";

const PAGE = 100;

const ofSignUp = z.object({ sign_up_id: z.guid() });

const CUSTOMER_EVENTS = ["customer.created", "customer.deleted"] as const;
const CARD_EVENTS = ["setup_intent.succeeded"] as const;
const SUBSCRIPTION_EVENTS = [
  "customer.subscription.created",
  "customer.subscription.updated",
  "customer.subscription.deleted",
] as const;

const event = z.union([
  z
    .object({
      type: z.enum(CUSTOMER_EVENTS),
      data: z.object({ object: z.object({ id: z.string(), metadata: ofSignUp }) }),
    })
    .transform(({ type, data: { object } }) => ({ type, customerId: object.id, signUpId: object.metadata.sign_up_id })),
  z
    .object({
      type: z.enum([...CARD_EVENTS, ...SUBSCRIPTION_EVENTS]),
      created: z.number(),
      data: z.object({ object: z.object({ id: z.string(), customer: z.string(), metadata: ofSignUp }) }),
    })
    .transform(({ type, created, data: { object } }) => ({
      type,
      customerId: object.customer,
      signUpId: object.metadata.sign_up_id,
      ...(type === "setup_intent.succeeded" && { setupIntentId: object.id }),
      ...(type === "customer.subscription.created" && { trialStartedAt: dateOf(created) }),
    })),
  // The event's customer has no sign-up.
  z.object({ type: z.string() }),
]);
const events = z.array(event);

/** A sign-up's customer at Stripe. `setupIntentId`: the setup intent of the latest card. */
export type CustomerHistory = {
  signUpId: string;
  customerId: string;
  isDeleted: boolean;
  setupIntentId: string | null;
  trialStartedAt: Date | null;
};

export type StripeHistory = ReturnType<typeof stripeHistory>;

export function stripeHistory(stripe: Stripe) {
  return {
    /** Stripe keeps events for 30 days: https://docs.stripe.com/api/events. Throws PaymentsError. */
    async since(time: Date): Promise<CustomerHistory[]> {
      const created = { gte: Math.floor(time.getTime() / 1000) };
      const types = [...CUSTOMER_EVENTS, ...CARD_EVENTS, ...SUBSCRIPTION_EVENTS];
      const found = await call(events, async () => {
        const all: Stripe.Event[] = [];
        for await (const one of stripe.events.list({ created, types, limit: PAGE })) all.push(one);
        return all;
      });
      const histories = new Map<string, CustomerHistory>();
      for (const one of found) {
        if (!("signUpId" in one)) continue;
        const { customerId, signUpId, type } = one;
        const known = histories.get(customerId);
        histories.set(customerId, {
          signUpId,
          customerId,
          isDeleted: known?.isDeleted || type === "customer.deleted",
          setupIntentId: known?.setupIntentId ?? ("setupIntentId" in one ? (one.setupIntentId ?? null) : null),
          trialStartedAt: known?.trialStartedAt ?? ("trialStartedAt" in one ? (one.trialStartedAt ?? null) : null),
        });
      }
      return [...histories.values()];
    },
  };
}
