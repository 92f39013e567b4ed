// After so many D1 statements, Stripe calls and messages, a run starts no new batch. A batch needs at most about 150, and
// Cloudflare ends an invocation after 1,000: https://developers.cloudflare.com/d1/platform/limits/
const MAX_CALLS = 800;

/** After so long, nothing new starts: over a minute, so that runs overlap while Stripe is slow, but below a sign-up's lease. */
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
