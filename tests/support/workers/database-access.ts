import type { WorkerOptions } from "miniflare";
import * as z from "zod";

const ACCESS = "database-access";
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

/*
 * Miniflare's own `getD1Database` blocks the thread in `Atomics.wait` for each call, and on a busy machine can hand an answer to
 * the wrong call. So a second Worker with the same database answers statements over HTTP.
 */

/** A Worker beside the tested one that runs statements on its database. */
export const databaseAccess = ({ d1Databases = {} }: Pick<WorkerOptions, "d1Databases">): WorkerOptions => ({
  name: ACCESS,
  compatibilityDate: "2026-04-24",
  modules: [{ type: "ESModule", path: "access.js", contents: SCRIPT }],
  d1Databases,
  unsafeDirectSockets: [{ host: "127.0.0.1", port: 0 }],
});

const answers = z.array(z.object({ results: z.array(z.record(z.string(), z.unknown())) }));

/** The part of D1's interface that tests and migrations use. */
export class TestDatabase {
  /** @param urlOf where the Worker of `databaseAccess` listens */
  constructor(private readonly urlOf: (name: string) => Promise<URL>) {}

  prepare(sql: string): Statement {
    return new Statement(this, sql);
  }

  async batch(statements: Statement[]) {
    const body = JSON.stringify(statements.map(({ sql, values }) => ({ sql, values })));
    const response = await fetch(await this.urlOf(ACCESS), { method: "POST", body });
    if (!response.ok) throw new Error(await response.text());
    return answers.parse(await response.json());
  }
}

class Statement {
  constructor(
    private readonly database: TestDatabase,
    readonly sql: string,
    readonly values: unknown[] = [],
  ) {}
  bind = (...values: unknown[]) => new Statement(this.database, this.sql, values);
  run = async () => (await this.database.batch([this]))[0] ?? { results: [] };
  all = this.run;
  first = async () => (await this.run()).results[0] ?? null;
}
