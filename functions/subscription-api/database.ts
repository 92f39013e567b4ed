import type { D1Database, D1PreparedStatement, D1Result } from "@cloudflare/workers-types";

export type Statement = D1PreparedStatement;

/** D1. Does not retry a failed write, because the site, Stripe and the cron handler retry the whole request, which then continues. */
export type Database = {
  prepare(sql: string): Statement;
  /** Runs statements as one transaction. Each result has the name of its statement. */
  batch<Name extends string>(statements: Record<Name, Statement>): Promise<Record<Name, D1Result>>;
};

/** @param onStatement called for each prepared statement */
export function databaseOver(d1: D1Database, onStatement = () => {}): Database {
  return {
    prepare(sql) {
      onStatement();
      return d1.prepare(sql);
    },
    async batch<Name extends string>(statements: Record<Name, Statement>) {
      const results = await d1.batch(Object.values<Statement>(statements));
      return Object.fromEntries(Object.keys(statements).map((name, at) => [name, results[at]])) as Record<
        Name,
        D1Result
      >;
    },
  };
}

/** D1's words while it is exported or imported, and refuses every query: https://github.com/cloudflare/workers-sdk/issues/9519 */
const COPIED = /Currently processing a long-running (?:export|import)/;

// Errors to retry: https://developers.cloudflare.com/d1/observability/debug-d1/#error-list, answers of D1's own gateways, and
// SQLITE_BUSY or SQLITE_BUSY_SNAPSHOT while another process has the local database's file open.
const TRANSIENT = RegExp(
  `${COPIED.source}|Network connection lost|Replica disconnected|client disconnected|transient issue|is overloaded|and was reset|\
caused object to be reset|reset because its code was updated|internal error; reference|Failed to parse body as JSON|SQLITE_BUSY`,
);

export function isTransient(error: unknown, words = TRANSIENT): boolean {
  return error instanceof Error && (words.test(error.message) || isTransient(error.cause, words));
}

export const isCopied = (error: unknown): boolean => isTransient(error, COPIED);
