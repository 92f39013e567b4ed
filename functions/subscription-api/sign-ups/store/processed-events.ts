import * as z from "zod";
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

    /**
     * When Stripe last sent an event, and whether a trial that began after it, and before `before`, had none: each
     * trial's start at Stripe has one. The minute covers what an event itself starts.
     */
    async latest(before: Date): Promise<{ latest: string | null; areMissing: boolean }> {
      const found = db.prepare(
        `WITH last AS (SELECT max(received_at) AS at FROM stripe_events),
              silence AS (
                SELECT coalesce(strftime('%Y-%m-%dT%H:%M:%fZ', at, '+1 minute'), '') AS since FROM last)
         SELECT last.at AS latest, EXISTS (
           SELECT 1 FROM outbox, silence
            WHERE settled_at > silence.since AND settled_at < ?1
              AND created_at > silence.since AND kind = 'trial-started') AS missing
           FROM last`,
      );
      const row = await found.bind(before.toISOString()).first();
      const { latest, missing } = z.object({ latest: z.string().nullable(), missing: z.number() }).parse(row);
      return { latest, areMissing: missing === 1 };
    },

    async deleteBefore(time: Date, limit: number): Promise<void> {
      const past = db.prepare(
        "DELETE FROM stripe_events WHERE rowid IN (SELECT rowid FROM stripe_events WHERE received_at < ? LIMIT ?)",
      );
      await past.bind(time.toISOString(), limit).run();
    },
  };
}
