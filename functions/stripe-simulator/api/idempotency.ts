import type { MiddlewareHandler } from "hono";
import { DAY } from "../clock/time";
import { invalidRequest, keyInUse, StripeFailure } from "./errors";
import type { StripeContext } from "./operation-context";

const keysInUse = new Set<string>();

/** Repeats the answer for a key for 24 hours, a 5xx included: https://docs.stripe.com/api/idempotent_requests */
export const idempotent: MiddlewareHandler<StripeContext> = async (c, next) => {
  const { store } = c.var;
  const key = c.req.header("idempotency-key");
  if (key === undefined || c.req.method !== "POST") return next();
  // Read first: answering without reading the body closes the connection.
  const request = `${c.req.path}?${new URL(c.req.url).searchParams}&${await c.req.text()}`;
  if (key.length === 0 || key.length > 255) {
    throw invalidRequest(`Idempotency keys must be between 1 and 255 characters; yours has ${key.length}.`);
  }
  const kept = store.answer(key);
  const known = kept && kept.at > Date.now() - DAY * 1000 ? kept : undefined;
  if (known && known.request !== request) {
    throw new StripeFailure(400, {
      type: "idempotency_error",
      message: `Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key other than '${key}' if you meant to execute a different request.`,
    });
  }
  if (known) {
    return new Response(known.body, {
      status: known.status,
      headers: {
        "content-type": "application/json",
        "idempotent-replayed": "true",
        ...(known.status >= 500 && { "stripe-should-retry": "false" }),
      },
    });
  }
  if (keysInUse.has(key)) throw keyInUse(key);
  keysInUse.add(key);
  try {
    await next();
    if (c.res.ok || c.res.status === 402 || c.res.status >= 500) {
      store.saveAnswer(key, { request, status: c.res.status, body: await c.res.clone().text(), at: Date.now() });
    }
  } finally {
    keysInUse.delete(key);
  }
};
