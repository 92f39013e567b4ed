import type { Database } from "../../database";
import { EMAILS, messageKey } from "../../outbox/outbox";

/** Not the email to support, which must never be lost. */
const HELD_BACK = EMAILS.filter((kind) => kind !== "not-me-reported");

export type RestoredDatabase = ReturnType<typeof restoredDatabase>;

/** A database in maintenance. Every method may be repeated, and throws D1's errors. */
export function restoredDatabase(db: Database) {
  const now = () => new Date().toISOString();

  return {
    /** For a pending sign-up. @param setupIntentId null leaves the known one */
    async recordAtStripe(id: string, customerId: string, setupIntentId: string | null): Promise<void> {
      const record = db.prepare(
        `UPDATE sign_ups SET stripe_customer_id = ?2, stripe_setup_intent_id = coalesce(?3, stripe_setup_intent_id)
          WHERE id = ?1 AND status = 'pending'`,
      );
      await record.bind(id, customerId, setupIntentId).run();
    },

    /** Returns how many sign-ups the next scheduled run checks. */
    async checkNow(ids: string[]): Promise<number> {
      const checked = db.prepare(
        "UPDATE sign_ups SET check_at = ?1 WHERE id IN (SELECT value FROM json_each(?2)) RETURNING id",
      );
      return (await checked.bind(now(), JSON.stringify(ids)).all()).results.length;
    },

    /** Drops emails that were due, and so were sent, before maintenance. Returns their number. */
    async holdBackDue(before: Date): Promise<number> {
      const held = db.prepare(
        `UPDATE outbox SET state = 'dropped', drop_reason = 'restored', settled_at = ?1
          WHERE state = 'due' AND kind IN (SELECT value FROM json_each(?2)) AND next_attempt_at < ?3 RETURNING key`,
      );
      return (await held.bind(now(), JSON.stringify(HELD_BACK), before.toISOString()).all()).results.length;
    },

    /** Drops start emails that were sent before and would be sent again. Returns their number. */
    async holdBackStarts(signUpIds: string[]): Promise<number> {
      const kind = "trial-started";
      const held = db.prepare(
        `INSERT INTO outbox (key, sign_up_id, kind, state, drop_reason, next_attempt_at, created_at, settled_at)
         SELECT value ->> 'key', value ->> 'id', ?1, 'dropped', 'restored', ?2, ?2, ?2 FROM json_each(?3) WHERE TRUE
         ON CONFLICT (key) DO NOTHING RETURNING key`,
      );
      const starts = signUpIds.map((id) => ({ id, key: messageKey(kind, id) }));
      return (await held.bind(kind, now(), JSON.stringify(starts)).all()).results.length;
    },
  };
}
