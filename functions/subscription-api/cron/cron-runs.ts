import * as z from "zod";
import type { Database } from "../database";

const latest = z.object({ ran_at: z.string().nullable(), created_at: z.string() });

export type CronRuns = ReturnType<typeof cronRunsIn>;

/** Records the cron handler's last complete run, for `/health`. Every method throws D1's errors. */
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
  };
}
