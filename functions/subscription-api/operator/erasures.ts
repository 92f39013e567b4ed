import * as z from "zod";
import type { Database } from "../database";

const erasure = z.object({ erased_at: z.string(), sign_ups: z.number(), customers: z.number(), operator: z.string() });

export type Erasure = z.output<typeof erasure>;
export type Erasures = ReturnType<typeof erasuresIn>;

/** Times of erasures, without personal data. Every method throws D1's errors. */
export function erasuresIn(db: Database) {
  return {
    async add({ sign_ups, customers, operator }: Omit<Erasure, "erased_at">): Promise<void> {
      await db.withoutRetry
        .prepare("INSERT INTO erasures (erased_at, sign_ups, customers, operator) VALUES (?, ?, ?, ?)")
        .bind(new Date().toISOString(), sign_ups, customers, operator)
        .run();
    },

    /** The latest first. */
    async list(limit: number): Promise<Erasure[]> {
      const found = db.prepare("SELECT * FROM erasures ORDER BY erased_at DESC LIMIT ?");
      return z.array(erasure).parse((await found.bind(limit).all()).results);
    },
  };
}
