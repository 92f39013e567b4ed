import * as z from "zod";
import type { Database } from "../../database";

const counts = z.array(z.object({ day: z.string(), status: z.string(), n: z.number() }));

export type DailyCount = z.output<typeof counts>[number];

const DAY_MS = 24 * 60 * 60_000;

/** By day and status; omits days and statuses without sign-ups. */
export async function signUpsByDay(db: Database, days: number): Promise<DailyCount[]> {
  const from = new Date(Date.now() - (days - 1) * DAY_MS).toISOString().slice(0, 10);
  const counted = db.prepare(
    `SELECT substr(created_at, 1, 10) AS day, status, count(*) AS n FROM sign_ups
      WHERE substr(created_at, 1, 10) >= ? GROUP BY substr(created_at, 1, 10), status`,
  );
  return counts.parse((await counted.bind(from).all()).results);
}

export function lastDays(days: number): string[] {
  const now = Date.now();
  return Array.from({ length: days }, (_, ago) => new Date(now - (days - 1 - ago) * DAY_MS).toISOString().slice(0, 10));
}
