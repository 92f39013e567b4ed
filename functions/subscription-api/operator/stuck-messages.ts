import * as z from "zod";
import type { Database } from "../database";
import { type MessageKind, SEND_LEASE_MS } from "../outbox/outbox";

const messages = z.array(
  z.object({
    key: z.string(),
    sign_up_id: z.string(),
    state: z.enum(["due", "dead"]),
    attempts: z.number(),
    created_at: z.string(),
    next_attempt_at: z.string(),
  }),
);

/** A message that has been due for longer than this was never picked up. */
const LATE_MS = 5 * 60_000;

/** Messages that are dead, have failed more than once or are late; at most `limit` of each. Throws D1's errors. */
export async function stuckMessages(db: Database, kinds: readonly MessageKind[], limit: number) {
  const columns = "outbox.key, sign_up_id, state, attempts, created_at, next_attempt_at";
  const now = Date.now();
  const { dead, retried, late } = await db.batch({
    dead: db.prepare(`SELECT ${columns} FROM outbox WHERE state = 'dead' LIMIT ?`).bind(limit),
    retried: db
      .prepare(
        `SELECT ${columns} FROM outbox
          WHERE state = 'due' AND attempts > 1 AND created_at <= ? ORDER BY created_at LIMIT ?`,
      )
      .bind(new Date(now).toISOString(), limit),
    // CROSS JOIN makes SQLite look up each kind in the index.
    late: db
      .prepare(
        `SELECT ${columns} FROM json_each(?1) AS wanted CROSS JOIN outbox
          WHERE state = 'due' AND outbox.kind = wanted.value AND next_attempt_at < ?2 AND attempts <= 1 LIMIT ?3`,
      )
      .bind(JSON.stringify(kinds), new Date(now - LATE_MS).toISOString(), limit),
  });
  return [dead, retried, late].flatMap(({ results }) => messages.parse(results));
}

/** False if the message is gone, sent or dropped, or due within two minutes: it may be being sent. Throws D1's errors. */
export async function sendAgain(db: Database, key: string): Promise<boolean> {
  const now = Date.now();
  const changed = db.prepare(
    `UPDATE outbox SET state = 'due', attempts = 0, next_attempt_at = ?1
      WHERE key = ?2 AND (state = 'dead' OR (state = 'due' AND next_attempt_at > ?3)) RETURNING key`,
  );
  const leased = new Date(now + SEND_LEASE_MS).toISOString();
  return (await changed.bind(new Date(now).toISOString(), key, leased).first()) !== null;
}
