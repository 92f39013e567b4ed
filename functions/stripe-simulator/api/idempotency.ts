import type { MiddlewareHandler } from "hono";
import * as z from "zod";
import type { Store } from "../store/store";
import { invalidRequest, keyInUse, StripeFailure } from "./errors";

type Middleware = MiddlewareHandler<{ Variables: { account: { store: Store } } }>;

const answerSchema = z.object({ request: z.string(), status: z.number(), body: z.string() });

const keysInUse = new Set<string>();

/** Repeats the answer for a key, even a 5xx, as Stripe does for 24 hours: https://docs.stripe.com/api/idempotent_requests */
export const idempotent: Middleware = async (c, next) => {
  const { store } = c.var.account;
  const key = c.req.header("idempotency-key");
  if (key === undefined || c.req.method !== "POST") return next();
  // Read the body first: an answer without reading it closes the connection.
  const request = `${c.req.path}?${new URL(c.req.url).searchParams}&${await c.req.text()}`;
  if (key.length === 0 || key.length > 255) {
    throw invalidRequest(`Idempotency keys must be between 1 and 255 characters; yours has ${key.length}.`);
  }
  const known = store.get(answerSchema, "answer", key);
  if (known && known.request !== request) {
    throw new StripeFailure(400, {
      type: "idempotency_error",
      message: `Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key other than '${key}' if you meant to execute a different request.`,
    });
  }
  if (known) {
    const retry = known.status >= 500 && { "stripe-should-retry": "false" };
    const headers = { "content-type": "application/json", "idempotent-replayed": "true", ...retry };
    return new Response(known.body, { status: known.status, headers });
  }
  if (keysInUse.has(key)) throw keyInUse(key);
  keysInUse.add(key);
  try {
    await next();
    if (c.res.ok || c.res.status === 402 || c.res.status >= 500) {
      store.set("answer", key, { request, status: c.res.status, body: await c.res.clone().text() });
    }
  } finally {
    keysInUse.delete(key);
  }
};
