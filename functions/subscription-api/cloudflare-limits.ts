/** Cloudflare's limit of open connections per invocation; further calls would wait while their timeout runs. */
export const CONNECTIONS = 6;

/** Works on items in order, several at a time, while `mayContinue()`. Returns the remaining items; throws the work's errors. */
export async function inParallel<T>(
  items: readonly T[],
  work: (item: T) => Promise<void>,
  mayContinue: () => boolean = () => true,
): Promise<T[]> {
  const left = [...items];
  const lane = async () => {
    while (mayContinue()) {
      const item = left.shift();
      if (item === undefined) return;
      await work(item);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, lane));
  return left;
}

/** Of 1,000 D1 statements or subrequests (https://developers.cloudflare.com/d1/platform/limits/); the rest is kept. */
const MAX_CALLS = 800;

/** Longer than a minute, so runs overlap while Stripe is slow, and far shorter than any lease. */
const MAX_MS = 4 * 60_000;

export type RunLimits = {
  /** @param share of all calls that this work may use */
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
