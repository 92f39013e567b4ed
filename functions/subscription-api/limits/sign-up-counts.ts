import { networkKeyOf } from "../../../app/shared/limits/rate-limit-key";
import type { TrialConfig } from "../config";
import type { Database } from "../database";
import { keyedHash } from "./keyed-hash";
import { mailboxOf } from "./mailbox";

export type SignUpCounts = ReturnType<typeof signUpCountsIn>;

/** `isVerified`: the visitor passed Turnstile. */
export type Visitor = { sender?: string; isVerified?: boolean };

/** Daily limits (UTC): per sender, per network without Turnstile, and per email address within one network. */
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
    /** The sender first: a refused sender uses up no other limit. */
    async take(email: string, { sender, isVerified = false }: Visitor): Promise<"taken" | "too-many" | "unverified"> {
      const day = today();
      const isSenderRefused =
        sender !== undefined && !(await isTaken(day, hashOf("sender", day, sender), signUpsPerDay.sender));
      if (isSenderRefused) return "too-many";
      const network = hashOf("network", day, networkKeyOf(sender ?? "unknown"));
      const address = `${hashOf("email", day, email)}.${network}`;
      // In parallel, because other passwords are waiting.
      const [ofNetwork, ofAddress] = await Promise.all([
        isVerified || isTaken(day, network, signUpsPerDay.network),
        isTaken(day, address, signUpsPerDay.email),
      ]);
      if (!ofNetwork) return "unverified";
      return ofAddress ? "taken" : "too-many";
    },

    /** From every network; the next character after the dot is the slash. */
    async forget(email: string): Promise<void> {
      const hash = hashOf("email", today(), email);
      await db
        .prepare("DELETE FROM sign_up_counts WHERE day = ? AND hash > ? AND hash < ?")
        .bind(today(), `${hash}.`, `${hash}/`)
        .run();
    },

    async deletePast(limit: number): Promise<void> {
      const past = db.prepare(
        "DELETE FROM sign_up_counts WHERE rowid IN (SELECT rowid FROM sign_up_counts WHERE day < ? LIMIT ?)",
      );
      await past.bind(today(), limit).run();
    },
  };
}

export function secondsLeftToday(): number {
  const day = 24 * 60 * 60;
  return Math.ceil(day - ((Date.now() / 1000) % day));
}
