import type Stripe from "stripe";
import { listing, type Operation } from "../api/operation";
import { hash, integer, list, type Readers, text } from "../api/parameters";

const filters = {
  types: list(text).optional(),
  created: hash({ gte: integer }).optional(),
} satisfies Readers<Stripe.EventListParams>;

export const events: Operation[] = [
  listing("/v1/events", "Event", filters, ({ type, created }, wanted) => {
    return (wanted.types?.includes(type) ?? true) && created >= (wanted.created?.gte ?? 0);
  }),
];
