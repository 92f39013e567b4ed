import type { RateLimit } from "@cloudflare/workers-types";
import type { MiddlewareHandler } from "hono";
import { describeError, log } from "../../log";
import type { ApiContext } from "../context";
import { problem } from "../problem";

/** The longest period of the binding: https://developers.cloudflare.com/workers/runtime-apis/bindings/rate-limit/ */
const RETRY_AFTER_SECONDS = "60";

/** Counts a sender's sign-ups; answers 429 beyond the limit, with the body unread. */
export const limitSignUps: MiddlewareHandler<ApiContext> = async (c, next) => {
  return (await isOverLimit(c.var.config.limits.signUps, c.var.sender)) ? tooManyRequests() : next();
};

/** Counts one more for the key. A limiter that fails lets the request pass; the error is logged. */
export async function isOverLimit(limiter: RateLimit, key: string): Promise<boolean> {
  try {
    return !(await limiter.limit({ key })).success;
  } catch (error) {
    log("error", "rate_limiter_failed", describeError(error));
    return false;
  }
}

export function tooManyRequests(): Response {
  return problem(429, { title: "Too many requests" }, { "retry-after": RETRY_AFTER_SECONDS });
}
