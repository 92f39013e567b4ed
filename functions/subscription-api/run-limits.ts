import type { D1Database } from "@cloudflare/workers-types";

/**
 * Cloudflare allows 1,000 statements of D1 (https://developers.cloudflare.com/d1/platform/limits/) and, by its older
 * plans, 1,000 subrequests of both kinds. What is under way when the limit is reached ends within the rest.
 */
const MAX_CALLS = 800;

/** Longer than a minute, so that runs overlap while Stripe is slow, and far less than the lease of what was taken. */
const MAX_MS = 4 * 60_000;

/** What one run of the cron handler may do. */
export type RunLimits = {
  /**
   * Whether there is time, and calls, for more.
   * @param share of all calls, beyond which the rest is kept for others
   */
  hasLeft(share?: number): boolean;
  /** Counts calls that it cannot see itself. */
  count(calls: number): void;
  fetch: typeof fetch;
  /** The same database, with every statement counted. */
  counted(db: D1Database): D1Database;
};

export function runLimits(): RunLimits {
  const end = Date.now() + MAX_MS;
  let calls = 0;
  return {
    hasLeft: (share = 1) => calls < share * MAX_CALLS && Date.now() < end,
    count(more) {
      calls += more;
    },
    fetch(...args) {
      calls += 1;
      return fetch(...args);
    },
    counted: (db) =>
      new Proxy(db, {
        get(target, name) {
          if (name === "prepare") calls += 1;
          const value: unknown = Reflect.get(target, name);
          return typeof value === "function" ? value.bind(target) : value;
        },
      }),
  };
}
