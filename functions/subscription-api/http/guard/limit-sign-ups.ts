import type { MiddlewareHandler } from "hono";
import { isOverLimit, RETRY_AFTER_SECONDS } from "../../../../app/shared/limits/rate-limit";
import { errorLog } from "../../log";
import type { ApiContext } from "../api-context";
import { problem } from "../problem";

export const limitSignUps: MiddlewareHandler<ApiContext> = async (c, next) => {
  return (await isOverLimit(c.var.config.limits.signUps, c.var.sender, errorLog)) ? tooManyRequests() : next();
};

export function tooManyRequests(): Response {
  return problem(429, { title: "Too many requests" }, { "retry-after": RETRY_AFTER_SECONDS });
}
