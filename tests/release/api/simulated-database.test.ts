import type { D1Database } from "@cloudflare/workers-types";
import fc from "fast-check";
import { Miniflare } from "miniflare";
import { afterAll, beforeAll, expect, test } from "vitest";
import { migrateDatabase } from "../../../tools/wrangler/migrate-database";
import { d1Of, MemoryDatabase } from "../../support/api-in-process/database";

/*
 * The simulation's database against D1 itself: any statements, alone and in batches, have the same results, change as many
 * rows, are refused alike, and leave the same rows.
 */

const COUNTS =
  "CREATE TABLE counts (day TEXT NOT NULL, hash TEXT NOT NULL, n INTEGER NOT NULL, PRIMARY KEY (day, hash)) STRICT";

let mf: Miniflare;
let real: D1Database;
const memory = new MemoryDatabase();

beforeAll(async () => {
  mf = new Miniflare({ modules: true, script: "export default {}", d1Databases: ["DB"] });
  real = await mf.getD1Database("DB");
  await migrateDatabase(real);
  await real.prepare(COUNTS).run();
  memory.run(COUNTS);
});
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
  command(
    `INSERT INTO counts (day, hash, n) VALUES (?1, ?2, 1)
     ON CONFLICT (day, hash) DO UPDATE SET n = n + 1 WHERE n < ?3 RETURNING n`,
    text,
    text,
    value,
  ),
  command("UPDATE counts SET n = n + ? WHERE day = ? RETURNING *", fc.integer({ min: 0, max: 3 }), text),
  command("DELETE FROM counts WHERE hash = ?", label),
  command("SELECT day, count(*) AS many, sum(n) / 2.0 AS half FROM counts GROUP BY day ORDER BY day"),
  command("SELECT 1 FROM counts WHERE hash IN (SELECT value FROM json_each(?))", fc.constantFrom('["a"]', "[]", "x")),
  command("INSERT INTO trial_claims (hash, sign_up_id) VALUES (?, ?)", label, fc.constantFrom(null, "nobody")),
  command("INSERT INTO trial_claims (hash) VALUES (?) ON CONFLICT (hash) DO NOTHING", text),
  command("UPDATE packages SET price_cents = ? WHERE name = 'MINI'", value),
  command("SELECT nothing FROM packages"),
);
const steps = fc.array(
  fc.oneof({ weight: 3, arbitrary: commands.map((one) => [one]) }, fc.array(commands, { minLength: 2, maxLength: 4 })),
  {
    minLength: 1,
    maxLength: 12,
  },
);

const shown = ({ results, meta }: { results?: unknown[]; meta: Record<string, unknown> }) => ({
  results,
  changes: meta.changes,
});

/** Each step's result ("refused" for an error), then the final rows. */
async function outcomes(db: D1Database, all: Command[][]): Promise<unknown[]> {
  const answers: unknown[] = [];
  for (const step of all) {
    try {
      const statements = step.map(({ sql, values }) => db.prepare(sql).bind(...values));
      const [only] = statements;
      const results = statements.length === 1 && only ? [await only.all()] : await db.batch(statements);
      answers.push(results.map(shown));
    } catch {
      answers.push("refused");
    }
  }
  for (const table of ["counts", "trial_claims", "packages"]) {
    answers.push((await db.prepare(`SELECT * FROM ${table} ORDER BY 1, 2`).all()).results);
  }
  return answers;
}

test("random statements have the same results in the simulated database and in D1", async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      await real.batch([
        real.prepare("DELETE FROM counts"),
        real.prepare("DELETE FROM trial_claims"),
        real.prepare("UPDATE packages SET price_cents = 10000 WHERE name = 'MINI'"),
      ]);
      memory.empty();
      memory.run("DELETE FROM counts");
      memory.run("UPDATE packages SET price_cents = 10000 WHERE name = 'MINI'");
      const simulated: unknown = d1Of(memory, async (_, effect) => effect());
      if (!isDatabase(simulated)) throw new Error("Not a database");
      expect(await outcomes(simulated, all)).toEqual(await outcomes(real, all));
    }),
    { numRuns: 30, seed: 1 },
  );
}, 240_000);

function isDatabase(value: unknown): value is D1Database {
  return typeof value === "object" && value !== null && "prepare" in value && "batch" in value;
}
