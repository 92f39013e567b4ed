import type { Context } from "hono";
import { findProblem, isRecord, parameterName } from "../schema/check";
import { type Form, parseForm } from "../schema/form";
import type { Parameters } from "../schema/generated/operation-parameters";
import { definition, type FoundOperation, findOperation } from "../schema/schema";
import { keyKind, requireSecretKey } from "./authorization";
import { invalidRequest } from "./errors";
import { expand } from "./expand";
import type { Call, Handler, Handlers, Operation, StripeContext } from "./operation-context";
import { decodeParameters } from "./parameters";
import { read } from "./reads";
import { accountSettings } from "./resources/account-settings";
import { customers } from "./resources/customers";
import { paymentMethods } from "./resources/payment-methods";
import { prices } from "./resources/prices";
import { refunds } from "./resources/refunds";
import { setupIntents } from "./resources/setup-intents";
import { subscriptions } from "./resources/subscriptions";
import { testClocks } from "./resources/test-clocks";

const written: Handlers = {
  ...accountSettings,
  ...customers,
  ...paymentMethods,
  ...prices,
  ...refunds,
  ...setupIntents,
  ...subscriptions,
  ...testClocks,
};

const handlers: { [O in Operation]?: Handler<O> } = written;

const CARD = "POST /v1/payment_methods";

const PUBLISHABLE = ["GET /v1/setup_intents/:id", "POST /v1/setup_intents/:id/confirm", CARD];

/** Checks a request against Stripe's types, answers it, and checks the answer too. Throws StripeFailure. */
export async function answer(c: Context<StripeContext>): Promise<Response> {
  const { account, store } = c.var;
  const url = new URL(c.req.url);
  const form: Form = { ...parseForm(url.search), ...parseForm(await c.req.text()) };
  const key = keyKind(c.req.header("authorization"), form.key);
  const found = findOperation(c.req.method, c.req.path);
  if (!found) {
    throw invalidRequest(`Unrecognized request URL (${c.req.method}: ${c.req.path}).`, { status: 404 });
  }
  if (!PUBLISHABLE.includes(found.name)) requireSecretKey(key);
  const { card, clientSecret, own } = fromBrowser(form, found.name, key);
  const idempotencyKey = c.req.header("idempotency-key") ?? null;
  const call: Call = {
    ...account.effects({ id: c.var.requestId, idempotencyKey }),
    ...{ id: found.id, key, card, clientSecret, origin: url.origin, endpoint: account.endpoint },
  };
  const given = decodeParameters(found.parameters, own);
  const body = isWritten(found.name) ? run(found.name, given, call) : read(found, Object(given), store);
  const paths = key === "secret" ? Object.values(typeof own.expand === "object" ? own.expand : {}).map(String) : [];
  return c.json(checked(expand(body, found.answer, paths, store), found, key));
}

function isWritten(name: string): name is Operation {
  return Object.hasOwn(handlers, name);
}

function run<O extends Operation>(name: O, given: unknown, call: Call): object {
  if (!isGiven<O>(given)) throw new Error("The parameters are no object");
  const handler = handlers[name];
  if (!handler) throw new Error(`It has no ${name}`);
  return handler(given, call);
}

function isGiven<O extends Operation>(given: unknown): given is Parameters[O] {
  return isRecord(given);
}

/** Only Stripe.js may send its key, the client secret, and a card number. */
function fromBrowser(form: Form, operation: string, key: "secret" | "publishable") {
  const { key: _, ...own } = form;
  if (key === "secret" || operation !== "POST /v1/setup_intents/:id/confirm") {
    return { own, clientSecret: undefined, card: undefined };
  }
  const { client_secret, payment_method_data, ...rest } = own;
  const clientSecret = typeof client_secret === "string" ? client_secret : undefined;
  if (typeof payment_method_data !== "object") return { own: rest, clientSecret, card: undefined };
  const schema = findOperation("POST", "/v1/payment_methods")?.parameters ?? {};
  const card = decodeParameters(schema, payment_method_data);
  return { own: rest, clientSecret, card: isGiven<typeof CARD>(card) ? card : undefined };
}

function checked(body: unknown, { name, answer }: FoundOperation, key: "secret" | "publishable"): object {
  const schema = key === "publishable" && name.includes("setup_intents") ? definition("BrowserSetupIntent") : answer;
  const problem = findProblem(schema, body);
  if (problem) throw new Error(`its answer to ${name} has a ${problem.kind} field: ${parameterName(problem.path)}`);
  return Object(body);
}
