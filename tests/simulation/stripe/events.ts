import { type Answer, answer, type StripeObject } from "../../support/api-in-process/stripe-objects";

/** With the object as it was then. */
type Event = { id: string; type: string; created: number; data: { object: StripeObject } };

/** The events of the model of Stripe: https://docs.stripe.com/api/events/list */
export class Events {
  /** The IDs of events that did not arrive at the endpoint, or not yet. */
  readonly undelivered = new Set<string>();
  /** Oldest first. */
  readonly #all: Event[] = [];

  add(event: Event): void {
    this.#all.push(event);
  }

  list(fields: URLSearchParams): Answer {
    const types = [...fields].flatMap(([name, value]) => (name.startsWith("types[") ? [value] : []));
    const time = (name: string, otherwise: number) => Number(fields.get(`created[${name}]`) ?? otherwise);
    const [from, before] = [time("gte", 0), time("lt", Infinity)];
    const isListed = ({ id, type, created }: Event) =>
      types.includes(type) &&
      from <= created &&
      created < before &&
      (fields.get("delivery_success") !== "false" || this.undelivered.has(id));
    const found = this.#all.filter(isListed).reverse();
    const rest = found.slice(found.findIndex(({ id }) => id === fields.get("starting_after")) + 1);
    const limit = Number(fields.get("limit") ?? 10);
    return answer(200, { data: rest.slice(0, limit), has_more: rest.length > limit });
  }
}
