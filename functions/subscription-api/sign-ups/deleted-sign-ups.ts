import * as z from "zod";
import type { Database } from "../database";
import { keyedHash } from "./trial-hashes";

const HOUR = 60 * 60_000;

/**
 * How long Stripe may take to create a customer after our call for it. Our calls give up after seconds, but Stripe carries on with a
 * request that it has received, and networks deliver for minutes.
 */
export const CUSTOMER_MAY_ARRIVE_MS = HOUR;

const rows = z.array(z.object({ hash: z.string(), deleted_at: z.string() }));

export type DeletedSignUps = ReturnType<typeof deletedSignUpsIn>;

/**
 * Remembers deleted sign-ups whose customer may still arrive at Stripe (table `deleted_sign_ups`), with nothing about a person. Every
 * method throws D1's errors.
 */
export function deletedSignUpsIn(db: Database, hashSecret: string) {
  const hashOf = (signUpId: string) => keyedHash(hashSecret, "deleted-sign-up", signUpId);
  return {
    /** Call it before anything is deleted, so that a failure in between forgets nobody. Returns the end of the search. */
    async remember(signUpIds: readonly string[]): Promise<Date> {
      const deletedAt = new Date();
      const remember = db.prepare(
        `INSERT INTO deleted_sign_ups (hash, deleted_at) SELECT value, ?2 FROM json_each(?1) WHERE TRUE
         ON CONFLICT (hash) DO UPDATE SET deleted_at = excluded.deleted_at`,
      );
      await remember.bind(JSON.stringify(signUpIds.map(hashOf)), deletedAt.toISOString()).run();
      return new Date(deletedAt.getTime() + CUSTOMER_MAY_ARRIVE_MS);
    },

    /** The deleted sign-ups whose customers are still looked for, and when the first was deleted; undefined if there are none. */
    async remembered(): Promise<{ since: Date; has: (signUpId: string) => boolean } | undefined> {
      const { results } = await db.prepare("SELECT hash, deleted_at FROM deleted_sign_ups ORDER BY deleted_at").all();
      const found = rows.parse(results);
      const [first] = found;
      if (first === undefined) return undefined;
      const hashes = new Set(found.map(({ hash }) => hash));
      return { since: new Date(first.deleted_at), has: (signUpId) => hashes.has(hashOf(signUpId)) };
    },

    /** Forgets sign-ups that were deleted more than an hour before the last search. @param searchedAt when the last search began */
    async forget(searchedAt: Date): Promise<void> {
      const last = new Date(searchedAt.getTime() - CUSTOMER_MAY_ARRIVE_MS).toISOString();
      await db.prepare("DELETE FROM deleted_sign_ups WHERE deleted_at < ?").bind(last).run();
    },
  };
}
