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

/**
 * Errors after which a query can be retried: https://developers.cloudflare.com/d1/best-practices/retry-queries/, and SQLITE_BUSY
 * or SQLITE_BUSY_SNAPSHOT while another process has the local database's file open.
 */
const TRANSIENT =
  /Network connection lost|caused object to be reset|reset because its code was updated|transient issue|is overloaded|and was reset|SQLITE_BUSY/;

export function isTransient(error: unknown): boolean {
  return error instanceof Error && (TRANSIENT.test(error.message) || isTransient(error.cause));
}
