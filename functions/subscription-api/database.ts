import type { D1Database, D1PreparedStatement } from "@cloudflare/workers-types";
import { sleep } from "../../app/shared/sleep";

/** https://developers.cloudflare.com/d1/best-practices/retry-queries/; D1 retries statements that only read by itself. */
const RETRYABLE =
  /Network connection lost|storage caused object to be reset|reset because its code was updated|transient issue/;

/** Without a pause, retries would add to an overload: https://developers.cloudflare.com/d1/observability/debug-d1/ */
const NOT_AT_ONCE = /is overloaded|caused object to be reset|and was reset/;

const ATTEMPTS = 3;
const FIRST_DELAY_MS = 100;

type Result = { results: unknown[]; meta: { changes: number } };

export type Statement = {
  prepared: D1PreparedStatement;
  bind(...values: unknown[]): Statement;
  first(column?: string): Promise<unknown>;
  all(): Promise<Result>;
  run(): Promise<Result>;
};

type Access = {
  prepare(sql: string): Statement;
  /** One transaction; each result has its statement's name. */
  batch<Name extends string>(statements: Record<Name, Statement>): Promise<Record<Name, Result>>;
};

export type Database = Access & {
  /** For statements that are not idempotent, such as counting or taking a lease. */
  withoutRetry: Access;
};

type Run = <T>(work: () => Promise<T>) => Promise<T>;

/** A write is sent again after a transient error, when the first attempt may have succeeded: it must be idempotent. */
export function databaseOver(
  d1: D1Database,
  { mayRetry = () => false, onStatement = () => {} }: { mayRetry?: () => boolean; onStatement?: () => void } = {},
): Database {
  const access = (run: Run): Access => ({
    prepare(sql) {
      onStatement();
      return statementOf(d1.prepare(sql), /^\s*SELECT/.test(sql) ? once : run);
    },
    async batch<Name extends string>(statements: Record<Name, Statement>) {
      const names = Object.keys(statements);
      const all = Object.values<Statement>(statements).map(({ prepared }) => prepared);
      const results: Result[] = await run(() => d1.batch(all));
      return Object.fromEntries(names.map((name, at) => [name, results[at]])) as Record<Name, Result>;
    },
  });
  return { ...access((work) => retry(work, mayRetry)), withoutRetry: access(once) };
}

export function isTransient(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return RETRYABLE.test(error.message) || NOT_AT_ONCE.test(error.message) || isTransient(error.cause);
}

function statementOf(prepared: D1PreparedStatement, run: Run): Statement {
  return {
    prepared,
    bind: (...values) => statementOf(prepared.bind(...values), run),
    first: (column) => run(() => (column === undefined ? prepared.first() : prepared.first(column))),
    all: () => run(() => prepared.all()),
    run: () => run(() => prepared.run()),
  };
}

const once: Run = (work) => work();

async function retry<T>(work: () => Promise<T>, mayRetry: () => boolean): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (attempt === ATTEMPTS || !(error instanceof Error && RETRYABLE.test(error.message)) || !mayRetry())
        throw error;
      await sleep(FIRST_DELAY_MS * 2 ** (attempt - 1) * (0.5 + Math.random() / 2));
    }
  }
}
