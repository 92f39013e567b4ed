import { Hono, type MiddlewareHandler } from "hono";
import { cors } from "hono/cors";
import { keyKind } from "../authorization";
import { docUrl, invalidRequest, StripeFailure } from "../errors";
import { parseForm } from "../form";
import { newId } from "../ids";
import { accountSettings } from "./account-settings";
import type { StripeContext } from "./context";
import { customers } from "./customers";
import { failures, refusals } from "./faults";
import { paymentMethods } from "./payment-methods";
import { prices, products } from "./prices";
import { setupIntents } from "./setup-intents";
import { subscriptions } from "./subscriptions";

export const api = new Hono<StripeContext>();

api.use(cors({ origin: "*", exposeHeaders: ["request-id"] }));

api.use(async (c, next) => {
  c.set("requestId", newId("req", 14));
  await next();
  c.header("request-id", c.var.requestId);
});

api.use(async (c, next) => {
  const form = { ...parseForm(new URL(c.req.url).search), ...parseForm(await c.req.text()) };
  c.set("form", form);
  c.set("key", keyKind(c.req.header("authorization"), form.key));
  await next();
});

/** Idempotency keys in use. */
const keysInUse = new Set<string>();

/** Repeats the answer for a key, a 5xx included: https://docs.stripe.com/api/idempotent_requests */
const idempotent: MiddlewareHandler<StripeContext> = async (c, next) => {
  const key = c.req.header("idempotency-key");
  if (key === undefined || c.req.method !== "POST") return next();

  const request = `${c.req.path}?${JSON.stringify(c.var.form)}`;
  const known = c.var.store.answer(key);
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
  if (keysInUse.has(key)) {
    throw new StripeFailure(409, {
      type: "idempotency_error",
      code: "idempotency_key_in_use",
      doc_url: docUrl("idempotency_key_in_use"),
      message: `There is currently another in-progress request using this Idempotency Key: ${key}. Please try again later.`,
    });
  }
  keysInUse.add(key);
  try {
    await next();
    if (c.res.ok || c.res.status === 402 || c.res.status >= 500) {
      c.var.store.saveAnswer(key, { request, status: c.res.status, body: await c.res.clone().text() });
    }
  } finally {
    keysInUse.delete(key);
  }
};
api.use(refusals, idempotent, failures);

api.route("/", accountSettings);
api.route("/customers", customers);
api.route("/payment_methods", paymentMethods);
api.route("/prices", prices);
api.route("/products", products);
api.route("/setup_intents", setupIntents);
api.route("/subscriptions", subscriptions);

api.all("*", (c) => {
  throw invalidRequest(`Unrecognized request URL (${c.req.method}: ${c.req.path}).`, { status: 404 });
});

api.onError((error, c) => {
  if (error instanceof StripeFailure) {
    const headers = error.status >= 500 ? { "stripe-should-retry": "false" } : undefined;
    return Response.json({ error: error.body }, { status: error.status, headers });
  }
  return c.json({ error: { type: "api_error", message: `The simulator failed: ${error.message}` } }, 500);
});
