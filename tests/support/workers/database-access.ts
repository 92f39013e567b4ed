import type { WorkerOptions } from "miniflare";
import * as z from "zod";

/*
 * Miniflare's own `getD1Database` blocks the thread in `Atomics.wait` for each call, and on a busy machine can return an answer to
 * the wrong call. So a second Worker with the same database runs statements over HTTP.
 */

const SCRIPT = `
export default {
  async fetch(request, { DB }) {
    const statements = (await request.json()).map(({ sql, values }) => DB.prepare(sql).bind(...values));
    return DB.batch(statements).then(Response.json, ({ message }) => new Response(message, { status: 500 }));
  },
};`;

/** A Worker beside the tested one that runs statements on its database. */
export const databaseAccess = (d1Databases: WorkerOptions["d1Databases"]): WorkerOptions => ({
  name: "database-access",
  compatibilityDate: "2026-04-24",
  d1Databases,
  modules: [{ type: "ESModule", path: "access.js", contents: SCRIPT }],
  unsafeDirectSockets: [{ host: "127.0.0.1", port: 0 }],
});

const answers = z.array(z.object({ results: z.array(z.record(z.string(), z.unknown())) }));
type Run = () => Promise<z.output<typeof answers>[number]>;
type Statement = { sql: string; values: unknown[]; bind(...values: unknown[]): Statement; run: Run; all: Run };

/** The part of D1's interface that tests and migrations use. @param access the URL of the Worker of `databaseAccess` */
export function databaseThrough(access: () => Promise<URL>) {
  async function batch(statements: Statement[]) {
    const response = await fetch(await access(), { method: "POST", body: JSON.stringify(statements) });
    if (!response.ok) throw new Error(await response.text());
    return answers.parse(await response.json());
  }
  const prepare = (sql: string, values: unknown[] = []): Statement => {
    const run: Run = async () => (await batch([statement]))[0] ?? { results: [] };
    const statement = { sql, values, bind: (...given: unknown[]) => prepare(sql, given), run, all: run };
    return statement;
  };
  return { prepare, batch };
}
