import type { MiddlewareHandler } from "hono";
import { keyInUse, StripeFailure } from "./errors";

/** The header `simulator-fault` asks for a 429, a 409, a 502 of the edge, or a 500 before or after the work is done. */
export const faults: MiddlewareHandler<{ Variables: { isExecuted: boolean } }> = async (c, next) => {
  const fault = c.req.header("simulator-fault") ?? "";
  if (fault === "409") throw keyInUse(c.req.header("idempotency-key"));
  if (fault === "502")
    throw new StripeFailure(502, { type: "api_error", message: "From the edge, which reached nobody." });
  if (fault === "429")
    throw new StripeFailure(429, { type: "rate_limit_error", message: "Request rate limit exceeded." });
  if (fault !== "500-before") await next();
  if (!fault.startsWith("500")) return;
  c.set("isExecuted", true);
  const body = { type: "api_error", message: "An unknown error occurred" };
  c.res = Response.json({ error: body }, { status: 500, headers: { "stripe-should-retry": "false" } });
};
