import { Hono } from "hono";
import { cors } from "hono/cors";
import { findProblem } from "../schema/check";
import { definition } from "../schema/schema";
import { newId } from "../store/ids";
import { StripeFailure } from "./errors";
import { failures, refusals } from "./faults";
import { idempotent } from "./idempotency";
import type { StripeContext } from "./operation-context";
import { answer } from "./operations";

export const api = new Hono<StripeContext>();

api.use(cors({ origin: "*", exposeHeaders: ["request-id"] }));

api.use(async (c, next) => {
  c.set("requestId", newId("req", 14));
  await next();
  c.header("request-id", c.var.requestId);
});

api.use(refusals, idempotent, failures);

api.all("*", answer);

/** Errors in the caller's code, whatever the data. */
const MISUSE = /^parameter|^url_/;

api.onError((error, c) => {
  const { complaints } = c.var.account;
  if (error instanceof StripeFailure && findProblem(definition("Error"), error.body) === undefined) {
    const { code = error.status === 404 ? "url_invalid" : "", message } = error.body;
    if (MISUSE.test(code)) complaints.push(`${c.req.method} ${c.req.path}: ${message}`);
    const headers = error.status >= 500 ? { "stripe-should-retry": "false" } : undefined;
    return Response.json({ error: error.body }, { status: error.status, headers });
  }
  // The caller hung up while its body was read.
  if (error.message.startsWith("Network connection lost")) return new Response(null, { status: 499 });
  const message = `The simulator failed at ${c.req.method} ${c.req.path}: ${error.message}`;
  complaints.push(message);
  // biome-ignore lint/suspicious/noConsole: a fault of the simulator, not of the request.
  console.error(message);
  return Response.json(
    { error: { type: "api_error", message } },
    { status: 500, headers: { "stripe-should-retry": "false" } },
  );
});
