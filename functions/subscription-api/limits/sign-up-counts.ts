import type { D1Database } from "@cloudflare/workers-types";
import type { TrialConfig } from "../config";
import { once } from "../d1-retries";
import { keyedHash } from "./keyed-hash";
import { mailboxOf } from "./mailbox";

export type SignUpCounts = ReturnType<typeof signUpCountsIn>;

/** How many sign-ups begin on a day (UTC), by e-mail address and by sender. Every method throws what D1 throws. */
export function signUpCountsIn(db: D1Database, { hashSecret, onePerPerson, signUpsPerDay }: TrialConfig) {
  const today = () => new Date().toISOString().slice(0, 10);
  const hashOf = (kind: keyof typeof signUpsPerDay, day: string, value: string) =>
    keyedHash(hashSecret, kind, day, kind === "email" && onePerPerson ? mailboxOf(value) : value);

  return {
    /**
     * Counts one more.
     * @param sender an IP address or network, as the site passes it on
     * @returns false, when the e-mail address or the sender has none left today
     */
    async take(email: string, sender: string | undefined): Promise<boolean> {
      const day = today();
      const one = (kind: keyof typeof signUpsPerDay, value: string) =>
        once(db)
          .prepare(
            `INSERT INTO sign_up_counts (day, hash, n) VALUES (?1, ?2, 1)
             ON CONFLICT (day, hash) DO UPDATE SET n = n + 1 WHERE n < ?3
             RETURNING n`,
          )
          .bind(day, hashOf(kind, day, value), signUpsPerDay[kind]);
      const counts = await once(db).batch([
        one("email", email),
        ...(sender === undefined ? [] : [one("sender", sender)]),
      ]);
      return counts.every(({ results }) => results.length === 1);
    },

    async forget(email: string): Promise<void> {
      await db
        .prepare("DELETE FROM sign_up_counts WHERE day = ? AND hash = ?")
        .bind(today(), hashOf("email", today(), email))
        .run();
    },

    /** Deletes some of those of past days. */
    async deletePast(limit: number): Promise<void> {
      const past = db.prepare(
        "DELETE FROM sign_up_counts WHERE rowid IN (SELECT rowid FROM sign_up_counts WHERE day < ? LIMIT ?)",
      );
      await past.bind(today(), limit).run();
    },
  };
}

/** Until the counts begin anew. */
export function secondsLeftToday(): number {
  const day = 24 * 60 * 60;
  return Math.ceil(day - ((Date.now() / 1000) % day));
}
