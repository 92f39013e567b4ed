import { type Scheduler, SECOND } from "../../support/api-in-process/scheduler";
import { type Answer, refusal } from "../../support/api-in-process/stripe-objects";

const LONGEST_REQUEST = 20 * SECOND;

/** The idempotency keys of requests in progress. Until one ends, Stripe refuses others with its key. */
export class KeysInUse {
  /** When a request ends at the latest, by key. */
  readonly #until = new Map<string, number>();

  constructor(readonly scheduler: Scheduler) {}

  /** @returns a function that ends the request and returns the refusal, if there was one */
  begin(key: string | undefined): () => Answer | undefined {
    if (key === undefined) return () => undefined;
    if ((this.#until.get(key) ?? 0) > this.scheduler.now)
      return () => refusal(409, "idempotency_key_in_use", "idempotency_error");
    this.#until.set(key, this.scheduler.now + LONGEST_REQUEST);
    return () => void this.#until.delete(key);
  }
}
