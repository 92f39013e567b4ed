import type { Outbox } from "../outbox/outbox";

/*
 * What is deleted after how long. By the cron handler here: messages, 30 days after they were sent or dropped. By a sign-up's own
 * steps (sign-ups/collect-card.ts, sign-ups/end-sign-up.ts): one without a card after 24 hours, one that has ended a day after its cleanup at Stripe. By
 * `npm run erase` (operator/export-and-erase.ts): everything of a person. Sign-ups that had a trial, and the keyed hashes in
 * `trial_claims`, stay.
 */

/** Longer than the three days for which Stripe repeats an event, so that no message is written a second time. */
const SETTLED_MESSAGES_MS = 30 * 24 * 60 * 60_000;

/** Bounds the statement; the next run goes on. */
const DELETED_PER_RUN = 2_000;

/** Returns the number of deleted rows. Throws D1's errors. */
export function deleteExpired({ outbox }: { outbox: Outbox }): Promise<number> {
  return outbox.deleteSettled(new Date(Date.now() - SETTLED_MESSAGES_MS), DELETED_PER_RUN);
}
