import type { WorkerOptions } from "miniflare";
import * as z from "zod";

const ACCESS = "database-access";

/*
 * Miniflare's own `getD1Database` blocks the thread in `Atomics.wait` for each call, and on a busy machine can hand an answer to
 * the wrong call. So a second Worker with the same database answers statements over HTTP.
 */

/** A Worker beside the tested one that runs statements on its database. */
export function databaseAccess({ d1Databases }: WorkerOptions): WorkerOptions {
  return {
    name: ACCESS,
    compatibilityDate: "2026-04-24",
    modules: [{ type: "ESModule", path: "access.js", contents: SCRIPT }],
    ...(d1Databases !== undefined && { d1Databases }),
    unsafeDirectSockets: [{ host: "127.0.0.1", port: 0 }],
  };
}

const SCRIPT = `
export default {
  async fetch(request, { DB }) {
    const statements = (await request.json()).map(({ sql, values }) => DB.prepare(sql).bind(...values));
    try {
      return Response.json((await DB.batch(statements)).map(({ results }) => ({ results })));
    } catch (error) {
      return new Response(error.message, { status: 500 });
    }
  },
};`;

type Row = Record<string, unknown>;
type Statement = { sql: string; values: unknown[] };
type Prepared = Statement & {
  bind(...values: unknown[]): Prepared;
  all(): Promise<{ results: Row[] }>;
  run(): Promise<{ results: Row[] }>;
  first(): Promise<Row | null>;
};

/** The part of D1's interface that tests and migrations use. */
export type TestDatabase = {
  prepare(sql: string): Prepared;
  batch(statements: Prepared[]): Promise<{ results: Row[] }[]>;
};

const answers = z.array(z.object({ results: z.array(z.record(z.string(), z.unknown())) }));

/** @param urlOf where the Worker of `databaseAccess` listens */
export function databaseAt(urlOf: (name: string) => Promise<URL>): TestDatabase {
  async function batch(statements: Statement[]) {
    const body = JSON.stringify(statements.map(({ sql, values }) => ({ sql, values })));
    const response = await fetch(await urlOf(ACCESS), { method: "POST", body });
    if (!response.ok) throw new Error(await response.text());
    return answers.parse(await response.json());
  }
  function prepared(sql: string, values: unknown[]): Prepared {
    const all = async () => (await batch([{ sql, values }]))[0] ?? { results: [] };
    return {
      sql,
      values,
      bind: (...bound) => prepared(sql, bound),
      all,
      run: all,
      first: async () => (await all()).results[0] ?? null,
    };
  }
  return { prepare: (sql) => prepared(sql, []), batch };
}
