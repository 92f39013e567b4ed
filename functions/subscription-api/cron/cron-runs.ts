import * as z from "zod";
import type { Database } from "../database";

const latest = z.object({ ran_at: z.string().nullable(), created_at: z.string() });
const undelivered = z.object({ ran_at: z.string().nullable(), reached_at: z.string().nullable() });

export type CronRuns = ReturnType<typeof cronRunsIn>;

/**
 * Records how far the cron handler came: its last complete run, for `/health`, and the events that Stripe could not deliver. Every
 * method throws D1's errors.
 */
export function cronRunsIn(db: Database) {
  return {
    async record(): Promise<void> {
      await db.prepare("UPDATE cron_runs SET ran_at = ? WHERE name = 'scheduled'").bind(new Date().toISOString()).run();
    },

    async latest(): Promise<z.output<typeof latest>> {
      return latest.parse(
        await db.prepare("SELECT ran_at, created_at FROM cron_runs WHERE name = 'scheduled'").first(),
      );
    },

    /** When Stripe's list of undelivered events was last read to its end, and up to when its events are handled. Null: not yet. */
    async undeliveredEvents(): Promise<z.output<typeof undelivered>> {
      const row = db.prepare("SELECT ran_at, reached_at FROM cron_runs WHERE name = 'undelivered-events'");
      return undelivered.parse(await row.first());
    },

    async reachUndelivered(reached: Date): Promise<void> {
      const update = db.prepare("UPDATE cron_runs SET reached_at = ? WHERE name = 'undelivered-events'");
      await update.bind(reached.toISOString()).run();
    },

    async completeUndelivered(reached: Date): Promise<void> {
      const update = db.prepare("UPDATE cron_runs SET reached_at = ?, ran_at = ? WHERE name = 'undelivered-events'");
      await update.bind(reached.toISOString(), new Date().toISOString()).run();
    },
  };
}
