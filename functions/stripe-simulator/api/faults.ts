import type { MiddlewareHandler } from "hono";
import { docUrl, keyInUse, StripeFailure } from "./errors";
import type { StripeContext } from "./operation-context";

/* The header `simulator-fault` asks for a 429, a 409, or a 500 before or after the work is done. */

const HEADER = "simulator-fault";

export const refusals: MiddlewareHandler<StripeContext> = async (c, next) => {
  switch (c.req.header(HEADER)) {
    case "429":
      throw new StripeFailure(429, {
        type: "rate_limit_error",
        code: "rate_limit",
        doc_url: docUrl("rate_limit"),
        message: "Request rate limit exceeded.",
      });
    case "409":
      throw keyInUse(c.req.header("idempotency-key"));
    default:
      await next();
  }
};

/** Inside the idempotency layer: Stripe keeps a 500 for its key. */
export const failures: MiddlewareHandler<StripeContext> = async (c, next) => {
  const fault = c.req.header(HEADER);
  if (fault !== "500-before") await next();
  if (fault !== "500-before" && fault !== "500-after") return;
  const body = { type: "api_error", message: "An unknown error occurred" };
  c.res = Response.json({ error: body }, { status: 500, headers: { "stripe-should-retry": "false" } });
};
