import type { D1Database, D1PreparedStatement, D1Result } from "@cloudflare/workers-types";

export type Statement = D1PreparedStatement;

/** Writes are not repeated here: the site, Stripe and the cron handler repeat whole requests, which continue where they stopped. */
export type Database = {
  prepare(sql: string): Statement;
  /** One transaction; each result has its statement's name. */
  batch<Name extends string>(statements: Record<Name, Statement>): Promise<Record<Name, D1Result>>;
};

/** @param onStatement is told of each statement that is prepared */
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

/** https://developers.cloudflare.com/d1/best-practices/retry-queries/, /d1/observability/debug-d1/ */
const TRANSIENT =
  /Network connection lost|caused object to be reset|reset because its code was updated|transient issue|is overloaded|and was reset/;

export function isTransient(error: unknown): boolean {
  return error instanceof Error && (TRANSIENT.test(error.message) || isTransient(error.cause));
}
