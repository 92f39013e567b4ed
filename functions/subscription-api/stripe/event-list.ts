import type Stripe from "stripe";
import { call, secondsOf } from "./client";

/** The longest page that Stripe gives: https://docs.stripe.com/api/events/list */
const PAGE = 100;

export type StripeEventTypes = NonNullable<Stripe.EventListParams["types"]>;

export type EventFilter = { types: StripeEventTypes; from: Date };

export type StripeEvents = ReturnType<typeof stripeEventList>;

/** Reads Stripe's list of events. The method throws PaymentsError. */
export function stripeEventList(stripe: Stripe) {
  return {
    /** A page, newest first. @param last the last event of the page before; `next` is the last event if more follow */
    async page({ types, from }: EventFilter, last = "") {
      const { data: events, has_more } = await call(() =>
        stripe.events.list({
          types,
          created: { gte: secondsOf(from) },
          limit: PAGE,
          ...(last !== "" && { starting_after: last }),
        }),
      );
      return { events, next: has_more ? (events.at(-1)?.id ?? null) : null };
    },
  };
}
