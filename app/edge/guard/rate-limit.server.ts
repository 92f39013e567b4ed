import { senderOf } from "../../contract/sender";
import { describeError, type Log } from "../log.server";

export interface RateLimit {
  limit(options: { key: string }): Promise<{ success: boolean }>;
}

/** The longest period of the binding: https://developers.cloudflare.com/workers/runtime-apis/bindings/rate-limit/ */
export const RETRY_AFTER_SECONDS = "60";

/** A limiter that fails lets the request pass; the error is logged. */
export async function isOverLimit(limiter: RateLimit, request: Request, log: Log): Promise<boolean> {
  try {
    // Cloudflare sets this header; anyone can send an X-Forwarded-For.
    const { success } = await limiter.limit({ key: senderOf(request.headers.get("CF-Connecting-IP")) });
    return !success;
  } catch (error) {
    log.error("rate_limiter_failed", describeError(error));
    return false;
  }
}
