import { senderOf } from "../../contract/sender";
import { describeError, type Log } from "../log.server";

export interface RateLimit {
  limit(options: { key: string }): Promise<{ success: boolean }>;
}

/** The longest period of the binding: https://developers.cloudflare.com/workers/runtime-apis/bindings/rate-limit/ */
export const RETRY_AFTER_SECONDS = "60";

/** A limiter that fails lets the request pass; the error is logged. */
export function isOverLimit(limiter: RateLimit, request: Request, log: Log): Promise<boolean> {
  return exceeds(limiter, keyOf(request), log);
}

/**
 * For a request that is over the limit: whether as many of its sender's were over it already, within one period. They are
 * counted by the same limiter under a key of their own.
 */
export function isFarOverLimit(limiter: RateLimit, request: Request, log: Log): Promise<boolean> {
  return exceeds(limiter, `${keyOf(request)} refused`, log);
}

/** Cloudflare sets this header; anyone can send an X-Forwarded-For. */
function keyOf({ headers }: Request): string {
  return senderOf(headers.get("CF-Connecting-IP"));
}

async function exceeds(limiter: RateLimit, key: string, log: Log): Promise<boolean> {
  try {
    const { success } = await limiter.limit({ key });
    return !success;
  } catch (error) {
    log.error("rate_limiter_failed", describeError(error));
    return false;
  }
}
