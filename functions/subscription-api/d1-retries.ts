import type { D1Database, D1PreparedStatement } from "@cloudflare/workers-types";

/** https://developers.cloudflare.com/d1/best-practices/retry-queries/; D1 repeats statements that only read by itself. */
const RETRYABLE =
  /Network connection lost|storage caused object to be reset|reset because its code was updated|transient issue/;

/** An overloaded database must not get more to do at once: https://developers.cloudflare.com/d1/observability/debug-d1/ */
const PASSING = /is overloaded|caused object to be reset|and was reset/;

const ATTEMPTS = 3;
const FIRST_DELAY_MS = 100;

const plain = new WeakMap<D1Database, D1Database>();

/** Whether D1 failed in a way that passes by itself. */
export function isTransient(error: unknown): boolean {
  return (
    error instanceof Error && (RETRYABLE.test(error.message) || PASSING.test(error.message) || isTransient(error.cause))
  );
}

/**
 * The same database; a write or batch that fails in passing is sent again, twice at most. It may have been done the first
 * time, so that every statement has to be one that changes nothing when it is repeated; others use `once`.
 * @param mayRepeat whether there is still time
 */
export function repeating(db: D1Database, mayRepeat: () => boolean): D1Database {
  const originals = new WeakMap<D1PreparedStatement, D1PreparedStatement>();
  const repeatable = (statement: D1PreparedStatement): D1PreparedStatement => {
    const repeated = new Proxy(statement, {
      get(target, name) {
        if (name === "bind") return (...values: unknown[]) => repeatable(target.bind(...values));
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== "function") return value;
        return (...given: unknown[]) => repeat(() => Reflect.apply(value, target, given), mayRepeat);
      },
    });
    originals.set(repeated, statement);
    return repeated;
  };
  const repeated = new Proxy(db, {
    get(target, name) {
      if (name === "prepare") {
        return (sql: string) => (/^\s*SELECT/.test(sql) ? target.prepare(sql) : repeatable(target.prepare(sql)));
      }
      if (name === "batch") {
        return (given: D1PreparedStatement[]) =>
          repeat(() => target.batch(given.map((one) => originals.get(one) ?? one)), mayRepeat);
      }
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  plain.set(repeated, db);
  return repeated;
}

/** For what must not be done twice, such as counting one more or taking a lease: the database without repetitions. */
export function once(db: D1Database): D1Database {
  return plain.get(db) ?? db;
}

async function repeat<T>(work: () => Promise<T>, mayRepeat: () => boolean): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (attempt === ATTEMPTS || !(error instanceof Error && RETRYABLE.test(error.message)) || !mayRepeat())
        throw error;
      const delay = FIRST_DELAY_MS * 2 ** (attempt - 1) * (0.5 + Math.random() / 2);
      await new Promise((resolve) => setTimeout(resolve, delay));
    }
  }
}
