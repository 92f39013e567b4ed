import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import initSqlJs, { type Database, type SqlValue, type Statement } from "sql.js";

export type Row = Record<string, SqlValue>;
type Result = { success: true; results: Row[]; meta: { changes: number; last_row_id: number } };
/** Puts a database's work among the waiting steps. */
export type Io = <T>(label: string, effect: () => T) => Promise<T>;

const migrations = fileURLToPath(new URL("../../functions/subscription-api/migrations/", import.meta.url));
const files = readdirSync(migrations).sort();
const sqlJs = await initSqlJs();

/** What the database writes down by itself, whatever the API does: every change of a state. */
const WATCHED = `
  CREATE TABLE changes (what TEXT, id TEXT, was TEXT, became TEXT);
  CREATE TRIGGER watch_sign_ups AFTER UPDATE OF status ON sign_ups WHEN old.status <> new.status
    BEGIN INSERT INTO changes VALUES ('sign-up', new.id, old.status, new.status); END;
  CREATE TRIGGER watch_outbox AFTER UPDATE OF state ON outbox WHEN old.state <> new.state
    BEGIN INSERT INTO changes VALUES ('message', new.key, old.state, new.state); END;`;

/** @param change what a planted fault makes of a migration */
export function migrated(change: (file: string, sql: string) => string = (_, sql) => sql): Uint8Array {
  const database = new sqlJs.Database();
  for (const file of files) database.run(change(file, readFileSync(join(migrations, file), "utf8")));
  database.run(WATCHED);
  const image = database.export();
  database.close();
  return image;
}

/** SQLite in memory with one writer; every statement, and every batch, happens at once. */
export class MemoryDatabase {
  readonly #database: Database;
  readonly #statements = new Map<string, { statement: Statement; columns?: string[] }>();
  writes = 0;

  constructor(image: Uint8Array) {
    this.#database = new sqlJs.Database(image);
    // As D1 has it; and the file, which is in memory, needs no journal of its own.
    this.#database.run(
      "PRAGMA foreign_keys = ON; PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE",
    );
  }

  run(sql: string, values: SqlValue[] = []): Result {
    try {
      const known = this.#statements.get(sql) ?? { statement: this.#database.prepare(sql) };
      this.#statements.set(sql, known);
      const { statement } = known;
      const results: Row[] = [];
      try {
        statement.bind(values);
        while (statement.step()) {
          known.columns ??= statement.getColumnNames();
          const cells = statement.get();
          results.push(Object.fromEntries(known.columns.map((name, at) => [name, cells[at] ?? null])));
        }
      } finally {
        statement.reset();
      }
      const isRead = /^\s*SELECT/i.test(sql);
      if (!isRead) this.writes += 1;
      return {
        success: true,
        results,
        meta: { changes: isRead ? 0 : this.#database.getRowsModified(), last_row_id: 0 },
      };
    } catch (error) {
      throw new Error(`D1_ERROR: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  batch(statements: { sql: string; values: SqlValue[] }[]): Result[] {
    this.#database.run("BEGIN");
    try {
      const results = statements.map(({ sql, values }) => this.run(sql, values));
      this.#database.run("COMMIT");
      return results;
    } catch (error) {
      this.#database.run("ROLLBACK");
      throw error;
    }
  }

  close(): void {
    this.#database.close();
  }
}

/** The binding of one invocation: as much of D1Database as the API uses. */
export function d1Of(database: MemoryDatabase, io: Io) {
  const statements = new WeakMap<object, { sql: string; values: SqlValue[] }>();
  const prepared = (sql: string, values: SqlValue[]) => {
    const run = () => io(sql, () => database.run(sql, values));
    const statement = {
      bind: (...given: unknown[]) => prepared(sql, given.map(sqlValue)),
      all: run,
      run,
      raw: async () => (await run()).results.map((row) => Object.values(row)),
      async first(column?: string) {
        const [row] = (await run()).results;
        if (row === undefined) return null;
        if (column === undefined) return row;
        if (!(column in row)) throw new Error(`D1_COLUMN_NOTFOUND: Column not found (${column})`);
        return row[column];
      },
    };
    statements.set(statement, { sql, values });
    return statement;
  };
  return {
    prepare: (sql: string) => prepared(sql, []),
    batch(given: object[]) {
      const all = given.map((statement) => statements.get(statement) ?? { sql: "", values: [] });
      return io(`batch: ${all.map(({ sql }) => sql.trim().slice(0, 40)).join(" + ")}`, () => database.batch(all));
    },
  };
}

function sqlValue(value: unknown): SqlValue {
  if (value === null || typeof value === "number" || typeof value === "string") return value;
  if (typeof value === "boolean") return Number(value);
  throw new Error(`D1_TYPE_ERROR: Type '${typeof value}' not supported for value '${String(value)}'`);
}
