import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { unstable_splitSqlQuery } from "wrangler";
import * as z from "zod";
import { API_FOLDER, root } from "./wrangler";

const MIGRATIONS = join(root, API_FOLDER, "migrations");
const names = z.array(z.object({ name: z.string() }));

type Statement<S> = { bind(...values: unknown[]): S; all(): Promise<{ results: unknown }>; run(): Promise<unknown> };
type Database<S> = { prepare(sql: string): S; batch(statements: S[]): Promise<unknown> };

/** Applies new migrations as `wrangler d1 migrations apply` does, to a database that a Worker has open. */
export async function migrateDatabase<S extends Statement<S>>(
  db: Database<S>,
  folder: string = MIGRATIONS,
): Promise<void> {
  await db
    .prepare(
      `CREATE TABLE IF NOT EXISTS d1_migrations (
         id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE,
         applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL)`,
    )
    .run();
  const applied = await db.prepare("SELECT name FROM d1_migrations").all();
  const known = new Set(names.parse(applied.results).map(({ name }) => name));
  for (const file of (await readdir(folder)).filter((name) => name.endsWith(".sql")).sort()) {
    if (known.has(file)) continue;
    const statements = unstable_splitSqlQuery(await readFile(join(folder, file), "utf8"));
    await db.batch([
      ...statements.map((statement) => db.prepare(statement)),
      db.prepare("INSERT INTO d1_migrations (name) VALUES (?)").bind(file),
    ]);
  }
}
