import type Stripe from "stripe";
import { call, secondsOf } from "./client";

/** The longest page that Stripe gives: https://docs.stripe.com/api/events/list */
const PAGE = 100;

/** Stripe keeps an event for so long: https://docs.stripe.com/api/events */
export const EVENTS_KEPT_MS = 30 * 24 * 60 * 60_000;

export type StripeEventTypes = NonNullable<Stripe.EventListParams["types"]>;

/** `undelivered`: only events that did not arrive at an endpoint or are still to be retried. `before` is not included. */
export type EventFilter = { types: StripeEventTypes; from: Date; before?: Date; undelivered?: true };

export type StripeEvents = ReturnType<typeof stripeEventList>;

/** Reads Stripe's list of events. Every method throws PaymentsError. */
export function stripeEventList(stripe: Stripe) {
  /** A page, newest first. @param last the last event of the page before; `next` is the last event if more follow */
  async function page({ types, from, before, undelivered }: EventFilter, last = "") {
    const { data: events, has_more } = await call(() =>
      stripe.events.list({
        types,
        created: { gte: secondsOf(from), ...(before && { lt: secondsOf(before) }) },
        limit: PAGE,
        ...(undelivered && { delivery_success: false }),
        ...(last !== "" && { starting_after: last }),
      }),
    );
    return { events, next: has_more ? (events.at(-1)?.id ?? null) : null };
  }

  return {
    page,

    /** All events, oldest first. */
    async all(filter: EventFilter): Promise<Stripe.Event[]> {
      const newestFirst: Stripe.Event[] = [];
      for (let last: string | null = ""; last !== null; ) {
        const { events, next }: Awaited<ReturnType<typeof page>> = await page(filter, last);
        newestFirst.push(...events);
        last = next;
      }
      return newestFirst.reverse();
    },
  };
}
