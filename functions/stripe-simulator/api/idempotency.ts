import type { MiddlewareHandler } from "hono";
import * as z from "zod";
import { DAY, timeOf } from "../clock/time";
import type { Store } from "../store/store";
import { invalidRequest, keyInUse, StripeFailure } from "./errors";

type Middleware = MiddlewareHandler<{ Variables: { account: { store: Store }; isExecuted: boolean } }>;

/** `at` is in seconds since 1970 on the account's clock. */
const answerSchema = z.object({ at: z.number(), request: z.string(), status: z.number(), body: z.string() });

const keysInUse = new Set<string>();

/** Repeats a key's answer for 24 hours if its request was executed: https://docs.stripe.com/api/idempotent_requests */
export const idempotent: Middleware = async (c, next) => {
  const { store } = c.var.account;
  const key = c.req.header("idempotency-key");
  if (key === undefined || c.req.method !== "POST") return next();
  // Read the body first: an answer without reading it closes the connection.
  const request = `${c.req.path}?${new URL(c.req.url).searchParams}&${await c.req.text()}`;
  if (key.length === 0 || key.length > 255) {
    throw invalidRequest(`Idempotency keys must be between 1 and 255 characters; yours has ${key.length}.`);
  }
  const kept = store.get(answerSchema, "answer", key);
  const known = kept && timeOf(store) - kept.at < DAY ? kept : undefined;
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
    if (c.var.isExecuted) {
      const { status } = c.res;
      store.set("answer", key, { at: timeOf(store), request, status, body: await c.res.clone().text() });
    }
  } finally {
    keysInUse.delete(key);
  }
};
