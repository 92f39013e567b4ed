import { type Context, Hono } from "hono";
import { cors } from "hono/cors";
import { accountSettings } from "../resources/account-settings";
import { customers } from "../resources/customers";
import { events } from "../resources/events";
import { paymentMethods } from "../resources/payment-methods";
import { prices } from "../resources/prices";
import { setupIntents } from "../resources/setup-intents";
import { subscriptions } from "../resources/subscriptions";
import { testClocks } from "../resources/test-clocks";
import type { Effects, Origin } from "../store/events";
import { newId } from "../store/objects";
import type { Store } from "../store/store";
import { invalidRequest, StripeFailure } from "./errors";
import { faults } from "./faults";
import { idempotent } from "./idempotency";
import { expand, type KeyKind, type Operation } from "./operation";
import { type Form, parseForm } from "./parameters";

export type Account = {
  store: Store;
  /** Misuse of the API, and the simulator's own faults, since it started. */
  complaints: string[];
  /** @param testClock null for the account's clock */
  effects(request?: Origin, testClock?: string | null): Effects;
};

export type StripeContext = { Variables: { account: Account; requestId: string; isExecuted: boolean } };

export const api = new Hono<StripeContext>();

api.use(cors({ origin: "*", exposeHeaders: ["request-id"] }));

api.use(async (c, next) => {
  c.set("requestId", newId("req", 14));
  c.set("isExecuted", false);
  await next();
  c.header("request-id", c.var.requestId);
});

api.use(idempotent, faults);

const operations = [
  accountSettings,
  customers,
  events,
  paymentMethods,
  prices,
  setupIntents,
  subscriptions,
  testClocks,
];
for (const ofKind of operations) {
  for (const one of ofKind) api.on(one.method, one.path.replace("/v1", ""), (c) => answer(c, one));
}

api.all("*", ({ req }) => {
  throw invalidRequest(`Unrecognized request URL (${req.method}: ${req.path}).`, { status: 404 });
});

async function answer(c: Context<StripeContext>, { isPublic, validate }: Operation): Promise<Response> {
  const { account, requestId } = c.var;
  const url = new URL(c.req.url);
  const { key, expand: paths = {}, ...form } = { ...parseForm(url.search), ...parseForm(await c.req.text()) };
  const idempotency_key = c.req.header("idempotency-key") ?? null;
  const call = {
    ...account.effects({ id: requestId, idempotency_key }, testClockOf(c.req.param("id") ?? "", form, account.store)),
    id: c.req.param("id") ?? "",
    key: keyKind(c.req.header("authorization"), key, isPublic),
    origin: url.origin,
  };
  const execute = validate(form);
  c.set("isExecuted", true);
  const body = execute(call);
  const expandAt = (value: unknown, path: unknown) => expand(value, String(path), account.store);
  return c.json(Object(Object.values(paths).reduce<unknown>(expandAt, body)));
}

/** The test clock of the customer that a request is about: https://docs.stripe.com/billing/testing/test-clocks */
function testClockOf(id: string, { customer, subscription, test_clock }: Form, store: Store): string | null {
  if (typeof test_clock === "string") return test_clock;
  const owner = store.ownerOf(String(customer ?? subscription ?? id));
  const named = store.find("Customer", owner)?.test_clock;
  return named ?? (store.find("TestClock", id)?.id || null);
}

/** Accepts any test key, as a Bearer token or the parameter `key`. Throws StripeFailure 401 for any other. */
function keyKind(header: string | undefined, parameter: unknown, isPublic: boolean): KeyKind {
  const key = String(header?.replace(/^Bearer /i, "") ?? parameter ?? "");
  if (/^[sr]k_test_\w+$/.test(key)) return "secret";
  if (!/^pk_test_\w+$/.test(key)) throw invalidRequest(`Invalid API Key: ${key.slice(0, 8)}***`, { status: 401 });
  if (isPublic) return "publishable";
  const message = "This API call cannot be made with a publishable API key. Please use a secret API key.";
  throw invalidRequest(message, { code: "secret_key_required", status: 401 });
}

api.onError((error, c) => {
  const { complaints } = c.var.account;
  if (error instanceof StripeFailure) {
    const { status, body } = error;
    const { code = status === 404 ? "parameter_url" : "" } = body;
    // A wrong parameter is an error in the caller's code, not in its data.
    if (code.startsWith("parameter")) complaints.push(`${c.req.method} ${c.req.path}: ${body.message}`);
    return Response.json({ error: body }, { status });
  }
  // The caller hung up while its body was read.
  if (error.message.startsWith("Network connection lost")) return new Response(null, { status: 499 });
  const message = `The simulator failed at ${c.req.method} ${c.req.path}: ${error.message}`;
  complaints.push(message);
  // biome-ignore lint/suspicious/noConsole: a fault of the simulator, not of the request.
  console.error(message);
  const headers = { "stripe-should-retry": "false" };
  return Response.json({ error: { type: "api_error", message } }, { status: 500, headers });
});
