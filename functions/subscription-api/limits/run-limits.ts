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
  count(calls: number): void;
};

export function runLimits(): RunLimits {
  const end = Date.now() + MAX_MS;
  let calls = 0;
  return {
    hasLeft: (share = 1) => calls < share * MAX_CALLS && Date.now() < end,
    count(more) {
      calls += more;
    },
  };
}
