import { networkOf } from "../../../app/contract/sender";
import type { TrialConfig } from "../config";
import type { Database } from "../database";
import { keyedHash } from "./keyed-hash";
import { mailboxOf } from "./mailbox";

export type SignUpCounts = ReturnType<typeof signUpCountsIn>;

/**
 * How many sign-ups begin on a day (UTC): of a sender, and of an email address from one network. Nobody can use up an
 * address for somebody elsewhere. Every method throws what D1 throws.
 */
export function signUpCountsIn(db: Database, { hashSecret, onePerPerson, signUpsPerDay }: TrialConfig) {
  const today = () => new Date().toISOString().slice(0, 10);
  const hashOf = (kind: keyof typeof signUpsPerDay, day: string, value: string) =>
    keyedHash(hashSecret, kind, day, kind === "email" && onePerPerson ? mailboxOf(value) : value);

  async function isTaken(day: string, hash: string, limit: number): Promise<boolean> {
    const { results } = await db.withoutRetry
      .prepare(
        `INSERT INTO sign_up_counts (day, hash, n) VALUES (?1, ?2, 1)
         ON CONFLICT (day, hash) DO UPDATE SET n = n + 1 WHERE n < ?3
         RETURNING n`,
      )
      .bind(day, hash, limit)
      .all();
    return results.length === 1;
  }

  return {
    /**
     * Counts one more: of the sender first, so that one who has none left uses up nothing else.
     * @param sender an IP address or network, as the site passes it on
     * @returns false, when the sender, or the email address from the sender's network, has none left today
     */
    async take(email: string, sender: string | undefined): Promise<boolean> {
      const day = today();
      const isSenderRefused =
        sender !== undefined && !(await isTaken(day, hashOf("sender", day, sender), signUpsPerDay.sender));
      if (isSenderRefused) return false;
      const network = keyedHash(hashSecret, "network", day, networkOf(sender ?? "unknown"));
      return isTaken(day, `${hashOf("email", day, email)}.${network}`, signUpsPerDay.email);
    },

    /** From every network; the next character after the dot is the slash. */
    async forget(email: string): Promise<void> {
      const hash = hashOf("email", today(), email);
      await db
        .prepare("DELETE FROM sign_up_counts WHERE day = ? AND hash > ? AND hash < ?")
        .bind(today(), `${hash}.`, `${hash}/`)
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
