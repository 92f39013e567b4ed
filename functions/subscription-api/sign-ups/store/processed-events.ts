import type { Database, Statement } from "../../database";
import type { StripeEvent } from "../../stripe/events";

export type ProcessedEvents = ReturnType<typeof processedEventsIn>;

/** For the transaction of the event's effect. Without a match Stripe has to send the event again. */
export function processedEvent(
  db: Database,
  event: StripeEvent,
  condition = "TRUE",
  ...values: (string | number)[]
): Statement {
  return db
    .prepare(
      `INSERT INTO stripe_events (id, type, received_at) SELECT ?, ?, ? WHERE ${condition}
       ON CONFLICT (id) DO NOTHING`,
    )
    .bind(event.id, event.type, new Date().toISOString(), ...values);
}

/** Every method throws what D1 throws. */
export function processedEventsIn(db: Database) {
  return {
    async has(event: StripeEvent): Promise<boolean> {
      return (await db.prepare("SELECT 1 FROM stripe_events WHERE id = ?").bind(event.id).first()) !== null;
    },

    async add(event: StripeEvent): Promise<void> {
      await processedEvent(db, event).run();
    },

    async deleteBefore(time: Date, limit: number): Promise<void> {
      const past = db.prepare(
        "DELETE FROM stripe_events WHERE rowid IN (SELECT rowid FROM stripe_events WHERE received_at < ? LIMIT ?)",
      );
      await past.bind(time.toISOString(), limit).run();
    },
  };
}
