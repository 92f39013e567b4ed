import * as z from "zod";
import type { Database } from "../database";
import { type MessageKind, messageKinds } from "./outbox";

const message = z.object({
  key: z.string(),
  kind: messageKinds,
  sign_up_id: z.string(),
  state: z.enum(["due", "dead"]),
  attempts: z.number(),
  created_at: z.string(),
  next_attempt_at: z.string(),
});

export type StuckMessage = z.output<typeof message>;

/** Longer than a lease, so such a message was never leased. */
const LATE_AFTER_MS = 5 * 60_000;

/** The outbox's lease, during which a message may be in flight. */
const LEASE_MS = 60_000;

export function stuckMessagesIn(db: Database) {
  const again = "SET state = 'due', attempts = 0, next_attempt_at = ?1";

  return {
    /** Given up, tried before, or due for five minutes; at most `limit` of each. */
    async list(kinds: readonly MessageKind[], limit: number): Promise<StuckMessage[]> {
      const columns = "outbox.key, kind, sign_up_id, state, attempts, created_at, next_attempt_at";
      const now = Date.now();
      const late = new Date(now - LATE_AFTER_MS).toISOString();
      const found = await db.batch([
        db.prepare(`SELECT ${columns} FROM outbox WHERE state = 'dead' LIMIT ?`).bind(limit),
        db
          .prepare(
            `SELECT ${columns} FROM outbox
              WHERE state = 'due' AND attempts > 1 AND created_at <= ? ORDER BY created_at LIMIT ?`,
          )
          .bind(new Date(now).toISOString(), limit),
        // CROSS JOIN fixes the join order: kinds first.
        db
          .prepare(
            `SELECT ${columns} FROM json_each(?1) AS wanted CROSS JOIN outbox
              WHERE state = 'due' AND outbox.kind = wanted.value AND next_attempt_at < ?2 AND attempts <= 1 LIMIT ?3`,
          )
          .bind(JSON.stringify(kinds), late, limit),
      ]);
      return found.flatMap(({ results }) => z.array(message).parse(results));
    },

    /** Makes the message due with all its attempts. False if it is deleted, sent, or perhaps being sent. */
    async sendAgain(key: string): Promise<boolean> {
      const now = Date.now();
      const changed = db.withoutRetry.prepare(
        `UPDATE outbox ${again} WHERE key = ?2 AND (state = 'dead' OR (state = 'due' AND next_attempt_at > ?3))
         RETURNING key`,
      );
      const leased = new Date(now + LEASE_MS).toISOString();
      return (await changed.bind(new Date(now).toISOString(), key, leased).first()) !== null;
    },

    async sendDeadAgain(): Promise<number> {
      const changed = db.withoutRetry.prepare(
        `UPDATE outbox ${again} WHERE key IN (SELECT key FROM outbox WHERE state = 'dead' LIMIT 1000) RETURNING key`,
      );
      return (await changed.bind(new Date().toISOString()).all()).results.length;
    },
  };
}

export type StuckMessages = ReturnType<typeof stuckMessagesIn>;
