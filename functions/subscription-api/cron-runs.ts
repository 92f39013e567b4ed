import * as z from "zod";
import type { Database } from "./database";
import { log } from "./log";
import type { StripeAccess } from "./stripe/access";

const latest = z.object({ ran_at: z.string().nullable(), stripe: z.string().nullable(), created_at: z.string() });

export type CronRuns = ReturnType<typeof cronRunsIn>;

/** What the latest run of the cron handler left for `/health`. Every method throws D1's errors. */
export function cronRunsIn(db: Database) {
  return {
    async record(): Promise<void> {
      await db.prepare("UPDATE cron_runs SET ran_at = ? WHERE name = 'scheduled'").bind(new Date().toISOString()).run();
    },

    /** How Stripe answered this run: the status, and what the key may not read. */
    async recordStripe(access: StripeAccess): Promise<void> {
      if (access.status !== "granted") {
        log("error", "stripe_inaccessible", {
          reason: access.status,
          ...("lacks" in access && { lacks: access.lacks }),
        });
      }
      const found = "lacks" in access ? `${access.status}: ${access.lacks.join(", ")}` : access.status;
      await db.prepare("UPDATE cron_runs SET stripe = ? WHERE name = 'scheduled'").bind(found).run();
    },

    async latest(): Promise<z.output<typeof latest>> {
      return latest.parse(
        await db.prepare("SELECT ran_at, stripe, created_at FROM cron_runs WHERE name = 'scheduled'").first(),
      );
    },
  };
}
