import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { D1Database } from "@cloudflare/workers-types";
import initSqlJs, { type SqlValue, type Statement } from "sql.js";
import * as z from "zod";
import { PAID_PLANS } from "../../../app/contract/plans";
import { SIGN_UP_HOURS, TRIAL_DAYS } from "../../../app/contract/trial";
import { databaseOver } from "../../../functions/subscription-api/database";
import { packagesIn } from "../../../functions/subscription-api/packages";
import { signUpsIn } from "../../../functions/subscription-api/sign-ups/store";
import { cheapPasswords } from "../cheap-passwords";
import { validRequest } from "../person";

type Row = Record<string, SqlValue>;
/** Runs a database operation, for example as a step of a scheduler. */
export type Io = <T>(label: string, effect: () => T) => Promise<T>;

const migrations = fileURLToPath(new URL("../../../functions/subscription-api/migrations/", import.meta.url));
const { Database } = await initSqlJs();

/** The file of a migrated database. Copying it takes a millisecond; running the migrations takes 30. */
const migrated = (() => {
  const database = new Database();
  for (const file of readdirSync(migrations).sort()) database.run(readFileSync(migrations + file, "utf8"));
  return database.export();
})();

/** SQLite in memory with one writer; each statement and batch is atomic. Foreign keys as in D1. */
export class MemoryDatabase {
  readonly #database = new Database(migrated);
  readonly #statements = new Map<string, Statement>();

  constructor() {
    this.#database.run("PRAGMA foreign_keys = ON; PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF");
  }

  run(sql: string, values: SqlValue[] = []) {
    try {
      const statement = this.#statements.get(sql) ?? this.#database.prepare(sql);
      this.#statements.set(sql, statement);
      const results: Row[] = [];
      statement.bind(values);
      try {
        while (statement.step()) results.push(statement.getAsObject());
      } finally {
        statement.reset();
      }
      const changes = /^\s*SELECT/i.test(sql) ? 0 : this.#database.getRowsModified();
      return { success: true, results, meta: { changes, last_row_id: 0 } };
    } catch (error) {
      throw new Error(`D1_ERROR: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  batch(statements: { sql: string; values: SqlValue[] }[]) {
    this.run("BEGIN");
    try {
      const results = statements.map(({ sql, values }) => this.run(sql, values));
      this.run("COMMIT");
      return results;
    } catch (error) {
      this.run("ROLLBACK");
      throw error;
    }
  }
}

/** The tables that grow. There are three packages. */
const GROWING = /\b(?:sign_ups|outbox|trial_claims)\b/;
const known = new Set<string>();

/** The part of the D1Database binding that the API uses. */
export function d1Of(database: MemoryDatabase, io: Io) {
  const prepared = (sql: string, values: SqlValue[]) => {
    const run = () => io(sql, () => database.run(sql, values));
    const first = async (column?: string) => {
      const [row = null] = (await run()).results;
      return row && column !== undefined ? row[column] : row;
    };
    return { sql, values, bind: (...given: unknown[]) => prepared(sql, given.map(sqlValue)), all: run, run, first };
  };
  return {
    prepare(sql: string) {
      requireIndex(sql, database);
      return prepared(sql, []);
    },
    batch(all: ReturnType<typeof prepared>[]) {
      return io(`batch: ${all.map(({ sql }) => sql.trim().slice(0, 24)).join("; ")}`, () => database.batch(all));
    },
  };
}

/**
 * Throws for a statement that would scan or sort a table of millions of rows (docs/threats.md), by SQLite's plan:
 * https://sqlite.org/eqp.html. Asks once for each statement.
 */
function requireIndex(sql: string, database: MemoryDatabase): void {
  if (known.has(sql) || !GROWING.test(sql) || !/^\s*(?:SELECT|INSERT|UPDATE|DELETE|WITH)\b/.test(sql)) return;
  known.add(sql);
  const isSlow = (line: string) =>
    (/^SCAN /.test(line) && !/VIRTUAL TABLE|^SCAN \(?subquery|^SCAN CONSTANT ROW/.test(line)) ||
    // The outbox sorts no more than six messages of each kind.
    (/TEMP B-TREE|AUTOMATIC/.test(line) && !sql.includes("ROW_NUMBER() OVER"));
  const plan = database.run(`EXPLAIN QUERY PLAN ${sql}`).results.map(({ detail }) => String(detail));
  const slow = plan.filter(isSlow);
  if (slow.length > 0) throw new Error(`Without an index: ${slow.join("; ")}: ${sql}`);
}

function sqlValue(value: unknown): SqlValue {
  if (value === null || typeof value === "number" || typeof value === "string") return value;
  if (typeof value === "boolean") return Number(value);
  throw new Error(`D1_TYPE_ERROR: Type '${typeof value}' not supported for value '${String(value)}'`);
}

const d1 = z.custom<D1Database>();

/**
 * The API's migrated database in this process.
 * @param io wraps each call to the database, for example to make it fail
 */
export function databaseInMemory(io: Io = async (_label, effect) => effect()) {
  const database = new MemoryDatabase();
  const binding = d1.parse(d1Of(database, io));
  const db = databaseOver(binding);
  // The owner may have changed the IDs of the first migration.
  for (const { title, packageId } of PAID_PLANS)
    database.run("UPDATE packages SET id = ? WHERE name = ?", [packageId, title]);
  return {
    d1: binding,
    db,
    rows: (sql: string, ...values: (string | number | null)[]): Row[] => database.run(sql, values).results,
    /** Inserts a pending sign-up. */
    signUp: async (fields: Partial<typeof validRequest> = {}) => {
      const request = { ...validRequest, ...fields };
      const { price_cents = null, stripe_price_id = null } = (await packagesIn(db).find(request.package_id)) ?? {};
      return signUpsIn(db).add({
        id: crypto.randomUUID(),
        idempotencyKey: crypto.randomUUID(),
        request,
        passwordHash: await cheapPasswords.hash(validRequest.password),
        requestId: "the-request",
        terms: { price_cents, stripe_price_id, tax_added: false, trial_days: TRIAL_DAYS, sign_up_hours: SIGN_UP_HOURS },
      });
    },
  };
}
