import type { Database, Statement } from "../database";
import type { StripeEvent } from "../stripe/webhook";

export type ProcessedEvents = ReturnType<typeof processedEventsIn>;

/** For the transaction of a transition that must not be repeated; marks nothing if the sign-up has another version by now. */
export function processedEvent(db: Database, { id, type }: StripeEvent, signUpId: string, version: number): Statement {
  return db
    .prepare(
      `INSERT INTO stripe_events (id, type, received_at)
       SELECT ?, ?, ? FROM sign_ups WHERE id = ? AND version = ? ON CONFLICT (id) DO NOTHING`,
    )
    .bind(id, type, new Date().toISOString(), signUpId, version);
}

export function processedEventsIn(db: Database) {
  return {
    async has(event: StripeEvent): Promise<boolean> {
      return (await db.prepare("SELECT 1 FROM stripe_events WHERE id = ?").bind(event.id).first()) !== null;
    },

    async deleteBefore(time: Date, limit: number): Promise<void> {
      const past = db.prepare(
        "DELETE FROM stripe_events WHERE rowid IN (SELECT rowid FROM stripe_events WHERE received_at < ? LIMIT ?)",
      );
      await past.bind(time.toISOString(), limit).run();
    },
  };
}
