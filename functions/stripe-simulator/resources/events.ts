import type Stripe from "stripe";
import { listing, type Operation } from "../api/operation";
import { flag, hash, integer, list, type Readers, text } from "../api/parameters";

const time = integer.optional();

const filters = {
  types: list(text).optional(),
  created: hash({ gt: time, gte: time, lt: time, lte: time }).optional(),
  delivery_success: flag.optional(),
} satisfies Readers<Stripe.EventListParams>;

export const events: Operation[] = [
  listing("/v1/events", "Event", filters, ({ type, created, pending_webhooks }, wanted) => {
    const { gt = -Infinity, gte = -Infinity, lt = Infinity, lte = Infinity } = wanted.created ?? {};
    const isInTime = gt < created && gte <= created && created < lt && created <= lte;
    const isOfType = wanted.types?.includes(type) ?? true;
    return isInTime && isOfType && (wanted.delivery_success ?? pending_webhooks === 0) === (pending_webhooks === 0);
  }),
];
