import { describeError, type Log } from "../log.server";

export interface RateLimit {
  limit(options: { key: string }): Promise<{ success: boolean }>;
}

/** The longest period of the binding: https://developers.cloudflare.com/workers/runtime-apis/bindings/rate-limit/ */
export const RETRY_AFTER_SECONDS = "60";

/** Counts one more under `key`. A limiter that fails lets the request pass; the error is logged. */
export async function isOverLimit(limiter: RateLimit, key: string, log: Log): Promise<boolean> {
  try {
    const { success } = await limiter.limit({ key });
    return !success;
  } catch (error) {
    log.error("rate_limiter_failed", describeError(error));
    return false;
  }
}

/**
 * For a request that is over the limit: whether as many with its key were over it already, within one period. They are
 * counted by the same limiter under a key of their own.
 */
export function isFarOverLimit(limiter: RateLimit, key: string, log: Log): Promise<boolean> {
  return isOverLimit(limiter, `${key} refused`, log);
}
