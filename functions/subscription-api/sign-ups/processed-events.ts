import * as z from "zod";
import type { Database, Statement } from "../database";
import type { StripeEvent } from "../stripe/events";

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

/** How long an event may take to start a trial. */
const STARTED_BY_EVENT_MS = 60_000;

export function processedEventsIn(db: Database) {
  return {
    async has(event: StripeEvent): Promise<boolean> {
      return (await db.prepare("SELECT 1 FROM stripe_events WHERE id = ?").bind(event.id).first()) !== null;
    },

    async add(event: StripeEvent): Promise<void> {
      const added = db.prepare(
        "INSERT INTO stripe_events (id, type, received_at) VALUES (?, ?, ?) ON CONFLICT (id) DO NOTHING",
      );
      await added.bind(event.id, event.type, new Date().toISOString()).run();
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
