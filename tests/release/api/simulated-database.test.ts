import type { D1Database } from "@cloudflare/workers-types";
import fc from "fast-check";
import { Miniflare } from "miniflare";
import { afterAll, expect, test } from "vitest";
import * as z from "zod";
import { migrateDatabase } from "../../../tools/wrangler/migrate-database";
import { d1Of, MemoryDatabase } from "../../support/api-in-process/database";

/* The simulation's database against D1 itself: results, numbers of changed rows, refusals, and the rows in the end. */

const COUNTS =
  "CREATE TABLE counts (day TEXT NOT NULL, hash TEXT NOT NULL, n INTEGER NOT NULL, PRIMARY KEY (day, hash)) STRICT";

const COUNT_ON = `INSERT INTO counts (day, hash, n) VALUES (?1, ?2, 1)
  ON CONFLICT (day, hash) DO UPDATE SET n = n + 1 WHERE n < ?3 RETURNING n`;

const mf = new Miniflare({ modules: true, script: "export default {}", d1Databases: ["DB"] });
afterAll(() => mf.dispose());

type Command = { sql: string; values: unknown[] };

const text = fc.constantFrom("a", "b", "c", "", "é\u2028", "0");
/** D1 binds every number as REAL, which differs in a column of texts; the API binds none there. */
const label = fc.oneof(text, fc.constant(null), fc.constant(undefined));
const value = fc.oneof(text, fc.integer({ min: -2, max: 3 }), fc.constant(null), fc.boolean(), fc.constant(undefined));
const command = (sql: string, ...values: fc.Arbitrary<unknown>[]): fc.Arbitrary<Command> =>
  fc.tuple(...values).map((given) => ({ sql, values: given }));
const commands = fc.oneof(
  command("INSERT INTO counts (day, hash, n) VALUES (?, ?, ?)", label, label, value),
  command(COUNT_ON, text, text, value),
  command("UPDATE counts SET n = n + ? WHERE day = ? RETURNING *", fc.integer({ min: 0, max: 3 }), text),
  command("DELETE FROM counts WHERE hash = ?", label),
  command("SELECT day, count(*) AS many, sum(n) / 2.0 AS half FROM counts GROUP BY day ORDER BY day"),
  command("SELECT 1 FROM counts WHERE hash IN (SELECT value FROM json_each(?))", fc.constantFrom('["a"]', "[]", "x")),
  command("INSERT INTO trial_claims (hash, sign_up_id) VALUES (?, ?)", label, fc.constantFrom(null, "nobody")),
  command("INSERT INTO trial_claims (hash) VALUES (?) ON CONFLICT (hash) DO NOTHING", text),
  command("UPDATE packages SET price_cents = ? WHERE name = 'MINI'", value),
  command("SELECT nothing FROM packages"),
);
const batches = fc.array(commands, { minLength: 2, maxLength: 4 });
const step = fc.oneof({ weight: 3, arbitrary: fc.tuple(commands) }, batches);
const steps = fc.array(step, { minLength: 1, maxLength: 12 });

/** Each step's result ("refused" for an error), then the final rows. */
async function outcomes(db: D1Database, all: Command[][]): Promise<unknown[]> {
  const answers: unknown[] = [];
  for (const step of all) {
    const done = async () => {
      const statements = step.map(({ sql, values }) => db.prepare(sql).bind(...values));
      const [only] = statements;
      const results = statements.length === 1 && only ? [await only.all()] : await db.batch(statements);
      return results.map(({ results, meta }) => [results, meta.changes]);
    };
    answers.push(await done().catch(() => "refused"));
  }
  for (const table of ["counts", "trial_claims", "packages"])
    answers.push((await db.prepare(`SELECT * FROM ${table} ORDER BY 1, 2`).all()).results);
  return answers;
}

const databases = z.custom<D1Database>();

test("random statements have the same results in the simulated database and in D1", async () => {
  const memory = new MemoryDatabase();
  const real = await mf.getD1Database("DB");
  await migrateDatabase(real);
  const both = [real, databases.parse(d1Of(memory, async (_, effect) => effect()))];
  for (const db of both) await db.prepare(COUNTS).run();
  const [noCounts, noClaims] = ["DELETE FROM counts", "DELETE FROM trial_claims"];
  const anew = [noCounts, noClaims, "UPDATE packages SET price_cents = 10000 WHERE name = 'MINI'"];
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      for (const db of both) await db.batch(anew.map((sql) => db.prepare(sql)));
      const [expected, simulated] = await Promise.all(both.map((db) => outcomes(db, all)));
      expect(simulated).toEqual(expected);
    }),
    { numRuns: 30, seed: 1 },
  );
}, 240_000);
