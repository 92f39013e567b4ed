import * as z from "zod";
import type { Database, Statement } from "../database";
import type { StripeEvent } from "../stripe/events";

export type ProcessedEvents = ReturnType<typeof processedEventsIn>;

/** Marks the event as processed in the transaction of its effect. If no row matches, Stripe must send it again. */
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

/** How long an event may take to start a trial. */
const STARTED_BY_EVENT_MS = 60_000;

export function processedEventsIn(db: Database) {
  return {
    async has(event: StripeEvent): Promise<boolean> {
      return (await db.prepare("SELECT 1 FROM stripe_events WHERE id = ?").bind(event.id).first()) !== null;
    },

    async add(event: StripeEvent): Promise<void> {
      await processedEvent(db, event).run();
    },

    /** `areMissing`: a trial began after the latest event and before `before`; each subscription's start sends an event. */
    async latest(before: Date): Promise<{ latest: string | null; areMissing: boolean }> {
      const last = db.prepare("SELECT max(received_at) AS at FROM stripe_events");
      const latest = z
        .string()
        .nullable()
        .parse(await last.first("at"));
      const since = latest === null ? "" : new Date(Date.parse(latest) + STARTED_BY_EVENT_MS).toISOString();
      const silent = db.prepare(
        `SELECT 1 FROM outbox
          WHERE settled_at > ?1 AND settled_at < ?2 AND created_at > ?1 AND kind = 'trial-started' LIMIT 1`,
      );
      return { latest, areMissing: (await silent.bind(since, before.toISOString()).first()) !== null };
    },

    async deleteBefore(time: Date, limit: number): Promise<void> {
      const past = db.prepare(
        "DELETE FROM stripe_events WHERE rowid IN (SELECT rowid FROM stripe_events WHERE received_at < ? LIMIT ?)",
      );
      await past.bind(time.toISOString(), limit).run();
    },
  };
}
