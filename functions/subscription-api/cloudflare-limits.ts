/** How many connections an invocation may have open. Further calls would wait while their timeouts run. */
export const CONNECTIONS = 6;

/** Processes items in order, as many at a time as there are connections. Throws the first error. */
export async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const waiting = [...items];
  const workOnNext = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, workOnNext));
}

/**
 * The most D1 statements, Stripe calls and messages in a run. Cloudflare ends an invocation after 1,000
 * (https://developers.cloudflare.com/d1/platform/limits/). A new batch of sign-ups and messages needs at most about 150, and starts
 * only below this number.
 */
const MAX_CALLS = 800;

/** The longest time of a run: over a minute, so that runs overlap while Stripe is slow, and far shorter than a lease. */
const MAX_MS = 4 * 60_000;

export type RunLimits = {
  hasLeft(): boolean;
  count(calls: number): void;
};

/** Counts the calls and the time of one run of the cron handler. */
export function runLimits(): RunLimits {
  const end = Date.now() + MAX_MS;
  let calls = 0;
  return {
    hasLeft: () => calls < MAX_CALLS && Date.now() < end,
    count(more) {
      calls += more;
    },
  };
}
