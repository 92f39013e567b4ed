import * as z from "zod";
import { DAY_MS } from "../../../app/contract/dates";
import type { Database } from "../database";

const counts = z.array(z.object({ day: z.string(), status: z.string(), n: z.number() }));

/** Counts the sign-ups of the last `days` by the day they began (UTC) and their current state. Throws D1's errors. */
export async function signUpsByDay(db: Database, days: number): Promise<z.output<typeof counts>> {
  const from = new Date(Date.now() - (days - 1) * DAY_MS).toISOString().slice(0, 10);
  // This query only reads the index sign_ups_by_day.
  const counted = db.prepare(
    `SELECT substr(created_at, 1, 10) AS day, status, count(*) AS n FROM sign_ups
      WHERE substr(created_at, 1, 10) >= ? GROUP BY substr(created_at, 1, 10), status`,
  );
  return counts.parse((await counted.bind(from).all()).results);
}
