import { SECOND } from "../../support/api-in-process/scheduler";
import { type Answer, answer, type StripeObject } from "../../support/api-in-process/stripe-objects";

/** With the object as it was then. `created` is in seconds since 1970. */
export type Event = { id: string; type: string; created: number; data: { object: StripeObject } };

/** The events of the model of Stripe: https://docs.stripe.com/api/events/list */
export class Events {
  /** When each event first arrived at the endpoint, in milliseconds since 1970, by its ID. */
  readonly arrivals = new Map<string, number>();
  /** Oldest first. */
  readonly #all: Event[] = [];

  add(event: Event): void {
    this.#all.push(event);
  }

  /** How many events of a type were about a sign-up's objects. */
  count(type: string, signUpId: string): number {
    return this.#all.filter((one) => one.type === type && one.data.object.metadata.sign_up_id === signUpId).length;
  }

  /** True if all events about this object arrived, within a time in milliseconds. */
  haveArrived(object: string, within = Infinity): boolean {
    const arrives = ({ id, created }: Event) => (this.arrivals.get(id) ?? Infinity) < created * SECOND + within;
    return this.#all.filter(({ data }) => data.object.id === object).every(arrives);
  }

  /** True if an event about this object arrived. */
  hasArrived(object: string): boolean {
    return this.#all.some(({ id, data }) => data.object.id === object && this.arrivals.has(id));
  }

  list(fields: URLSearchParams): Answer {
    const types = [...fields].flatMap(([name, value]) => (name.startsWith("types[") ? [value] : []));
    const from = Number(fields.get("created[gte]") ?? 0);
    const found = this.#all.filter(({ type, created }) => types.includes(type) && from <= created).reverse();
    const rest = found.slice(found.findIndex(({ id }) => id === fields.get("starting_after")) + 1);
    const limit = Number(fields.get("limit") ?? 10);
    return answer(200, { data: rest.slice(0, limit), has_more: rest.length > limit });
  }
}
