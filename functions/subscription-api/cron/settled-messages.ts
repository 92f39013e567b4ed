import { DAY_MS } from "../../../app/contract/dates";
import type { Outbox } from "../outbox/outbox";

/*
 * What is deleted after how long. The cron handler deletes messages here, 30 days after they were sent or dropped. A sign-up deletes
 * itself: without a card after 24 hours (sign-ups/transitions/collect-card.ts), otherwise a day after it has ended (sign-ups/transitions/end-sign-up.ts).
 * `npm run erase` deletes everything of a person (operator/export-and-erase.ts). Sign-ups that had a trial stay, and so do the
 * keyed hashes in `trial_claims`.
 */

/** Longer than the three days for which Stripe retries an event, so that no message is written twice. */
const SETTLED_MESSAGES_MS = 30 * DAY_MS;

/** Limits the statement's size. The next run deletes the rest. */
const DELETED_PER_RUN = 2_000;

/** Returns the number of deleted rows. Throws D1's errors. */
export function deleteSettledMessages({ outbox }: { outbox: Outbox }): Promise<number> {
  return outbox.deleteSettled(new Date(Date.now() - SETTLED_MESSAGES_MS), DELETED_PER_RUN);
}
