import { DAY, type Scheduler, SECOND } from "../../support/api-in-process/scheduler";
import { type Answer, refusal } from "../../support/api-in-process/stripe-objects";

const LONGEST_REQUEST = 20 * SECOND;

/** An answer of the edge of Stripe. */
export const edgeFailure: Answer = refusal(502, "api_error", "api_error");

/** The idempotency keys of requests in progress. Until one ends, Stripe refuses others with its key, or its edge does not reach it. */
export class KeysInUse {
  /** When a request ends at the latest, by key. */
  readonly #until = new Map<string, number>();

  constructor(readonly scheduler: Scheduler) {}

  /** @returns a function that ends the request and returns the refusal, if there was one */
  begin(key: string | undefined, isEdgeDown: () => boolean): () => Answer | undefined {
    if (key === undefined) return () => undefined;
    if ((this.#until.get(key) ?? 0) > this.scheduler.now) {
      const refused = isEdgeDown() ? edgeFailure : refusal(409, "idempotency_key_in_use", "idempotency_error");
      return () => refused;
    }
    this.#until.set(key, this.scheduler.now + LONGEST_REQUEST);
    return () => void this.#until.delete(key);
  }
}

/** What Stripe repeats under an idempotency key for 24 hours, even a 400 or a 500. */
export class SavedAnswers {
  readonly #saved = new Map<string, { at: number; fields: string; answer: Answer }>();

  constructor(readonly scheduler: Scheduler) {}

  of(key: string | undefined, fields: string): Answer | undefined {
    const saved = this.#saved.get(key ?? "");
    if (!saved || this.scheduler.now - saved.at >= DAY) return undefined;
    return saved.fields === fields
      ? { ...saved.answer, isReplayed: true }
      : refusal(400, "idempotency_error", "idempotency_error");
  }

  save(key: string | undefined, fields: string, answer: Answer): void {
    if (key !== undefined) this.#saved.set(key, { at: this.scheduler.now, fields, answer });
  }
}
