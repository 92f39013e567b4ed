export interface RateLimit {
  limit(options: { key: string }): Promise<{ success: boolean }>;
}

interface ErrorLog {
  failure(event: string, error: unknown): void;
}

/** The longest period that the binding supports: https://developers.cloudflare.com/workers/runtime-apis/bindings/rate-limit/ */
export const RETRY_AFTER_SECONDS = "60";

/** Counts a request under `key`. True if that exceeds the limit. If the limiter fails, logs the error and returns false. */
export async function isOverLimit(limiter: RateLimit, key: string, log: ErrorLog): Promise<boolean> {
  try {
    const { success } = await limiter.limit({ key });
    return !success;
  } catch (error) {
    log.failure("rate_limiter_failed", error);
    return false;
  }
}
