import type { D1Database } from "@cloudflare/workers-types";
import * as z from "zod";
import { signUpsIn } from "../../../functions/subscription-api/sign-ups/store/sign-up-store";
import { d1Of, type Io, MemoryDatabase, type Row } from "../api-in-process/database";
import { validRequest } from "../visitors/visitor";

const d1 = z.custom<D1Database>((value) => typeof value === "object" && value !== null && "prepare" in value);

/** Counts nothing. */
const count = () => {};

/**
 * The API's migrated database in this process; tests/edge/failures/simulated-database.test.ts compares it with D1.
 * @param io passes on what is sent to the database, or fails
 */
export function databaseInMemory(io: Io = async (_label, effect) => effect()) {
  const database = new MemoryDatabase();
  const db = d1.parse(d1Of(database, io));
  return {
    db,
    rows: (sql: string, ...values: (string | number | null)[]): Row[] => database.run(sql, values).results,
    /** A sign-up that waits for its card. */
    signUp: (fields: Partial<typeof validRequest> = {}) =>
      signUpsIn(db, count).add({
        id: crypto.randomUUID(),
        idempotencyKey: crypto.randomUUID(),
        passwordHash: "a hash",
        requestId: "the-request",
        request: { ...validRequest, ...fields },
      }),
  };
}
