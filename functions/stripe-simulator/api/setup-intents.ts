import { type Context, Hono } from "hono";
import * as z from "zod";
import { requireSecretKey } from "../authorization";
import { cardOutcome } from "../cards";
import { docUrl, invalidRequest, noSuch, StripeFailure, unexpectedState } from "../errors";
import { newId, unixTime } from "../ids";
import { browserSetupIntent, type SetupError, type SetupIntent } from "../objects";
import type { Store } from "../store";
import type { StripeContext } from "./context";
import { requireCustomer } from "./customers";
import { list, metadata, page, paging, parameters } from "./parameters";
import { createPaymentMethod, findPaymentMethod, paymentMethodParameters } from "./payment-methods";

export const DECLINED: SetupError = {
  type: "card_error",
  code: "card_declined",
  decline_code: "generic_decline",
  doc_url: docUrl("card_declined"),
  message: "Your card was declined.",
};

const createParameters = z.object({
  customer: z.string().optional(),
  description: z.string().nullable().default(null),
  usage: z.enum(["off_session", "on_session"]).default("off_session"),
  allowed_payment_method_types: list.nullable().default(null),
  metadata,
});

const confirmParameters = z.object({
  payment_method: z.string().optional(),
  payment_method_data: paymentMethodParameters.optional(),
  return_url: z.url({ protocol: /^https?$/ }).optional(),
});

const retrieveParameters = z.object({
  expand: z.optional(z.record(z.string(), z.literal("payment_method"))),
});

const listParameters = z.object({ customer: z.string().optional(), ...paging });

const cancelParameters = z.object({
  cancellation_reason: z.enum(["abandoned", "requested_by_customer", "duplicate"]).nullable().default(null),
});

/** https://docs.stripe.com/api/setup_intents */
export const setupIntents = new Hono<StripeContext>();

setupIntents.post("/", (c) => {
  requireSecretKey(c.var.key);
  const given = parameters(createParameters, c.var.form);
  if (given.customer !== undefined) requireCustomer(given.customer, c.var.store);
  const id = newId("seti");
  const intent: SetupIntent = {
    id,
    object: "setup_intent",
    allowed_payment_method_types: given.allowed_payment_method_types,
    cancellation_reason: null,
    client_secret: newId(`${id}_secret`),
    created: unixTime(),
    customer: given.customer ?? null,
    description: given.description,
    last_setup_error: null,
    latest_attempt: null,
    livemode: false,
    metadata: given.metadata,
    next_action: null,
    payment_method: null,
    payment_method_types: given.allowed_payment_method_types ?? ["card"],
    status: "requires_payment_method",
    usage: given.usage,
  };
  c.var.store.save(intent);
  return c.json(intent);
});

setupIntents.get("/", (c) => {
  requireSecretKey(c.var.key);
  const given = parameters(listParameters, c.var.form);
  const found = c.var.store
    .setupIntents()
    .filter(({ customer }) => given.customer === undefined || customer === given.customer);
  return c.json(page("/v1/setup_intents", found, given));
});

setupIntents.get("/:id", (c) => {
  const intent = authorized(c, c.req.param("id"));
  const { expand } = parameters(retrieveParameters, c.var.form);
  const method = intent.payment_method === null ? undefined : c.var.store.paymentMethod(intent.payment_method);
  if (expand?.[0] !== "payment_method" || !method) return shown(c, intent);
  if (c.var.key === "secret") return c.json({ ...intent, payment_method: method });
  // What Stripe shows of a payment method to the holder of the client secret.
  const { id, object, type, card } = method;
  return c.json({ ...browserSetupIntent.parse(intent), payment_method: { id, object, type, card } });
});

setupIntents.post("/:id/confirm", (c) => {
  const intent = authorized(c, c.req.param("id"));
  if (intent.status === "succeeded" || intent.status === "canceled") throw unexpectedState(intent, "confirm");
  const given = parameters(confirmParameters, c.var.form);
  const method = given.payment_method_data
    ? createPaymentMethod(given.payment_method_data, c.var.store)
    : given.payment_method !== undefined && findPaymentMethod(given.payment_method, c.var.store);
  if (!method) {
    throw invalidRequest(
      "You cannot confirm this SetupIntent because it's missing a payment method. Provide a payment method and try again.",
      { code: "setup_intent_unexpected_state" },
    );
  }

  const attempt: SetupIntent = {
    ...intent,
    latest_attempt: newId("setatt"),
    last_setup_error: null,
    next_action: null,
    payment_method: method.id,
  };
  switch (cardOutcome(c.var.store.cardNumber(method.id) ?? "")) {
    case "succeeds":
    case "charge-fails":
      return shown(c, succeed(attempt, c.var));
    case "needs-authentication":
      return shown(c, askForAuthentication(attempt, c.var.store, new URL(c.req.url).origin, given.return_url));
    case "declined": {
      const failed = fail(attempt, DECLINED, c.var);
      throw new StripeFailure(402, { ...DECLINED, setup_intent: browserSetupIntent.parse(failed) });
    }
  }
});

setupIntents.post("/:id/cancel", (c) => {
  requireSecretKey(c.var.key);
  const intent = authorized(c, c.req.param("id"));
  if (intent.status === "succeeded" || intent.status === "canceled") throw unexpectedState(intent, "cancel");
  const { cancellation_reason } = parameters(cancelParameters, c.var.form);
  const canceled: SetupIntent = { ...intent, status: "canceled", cancellation_reason, next_action: null };
  c.var.store.save(canceled);
  c.var.emit("setup_intent.canceled", canceled);
  return c.json(canceled);
});

type Effects = Pick<StripeContext["Variables"], "store" | "emit">;

export function succeed(attempt: SetupIntent, { store, emit }: Effects): SetupIntent {
  const succeeded: SetupIntent = { ...attempt, status: "succeeded", last_setup_error: null, next_action: null };
  const method = attempt.payment_method === null ? undefined : store.paymentMethod(attempt.payment_method);
  if (method) store.save({ ...method, customer: attempt.customer });
  store.save(succeeded);
  emit("setup_intent.succeeded", succeeded);
  return succeeded;
}

export function fail(attempt: SetupIntent, error: SetupError, { store, emit }: Effects): SetupIntent {
  const failed: SetupIntent = {
    ...attempt,
    status: "requires_payment_method",
    payment_method: null,
    last_setup_error: error,
    next_action: null,
  };
  store.save(failed);
  emit("setup_intent.setup_failed", failed);
  return failed;
}

function askForAuthentication(attempt: SetupIntent, store: Store, origin: string, returnUrl?: string): SetupIntent {
  if (returnUrl === undefined) {
    throw invalidRequest("Missing required param: return_url.", { code: "parameter_missing", param: "return_url" });
  }
  const url = `${origin}/authenticate/${attempt.id}/${attempt.latest_attempt}`;
  const waiting: SetupIntent = {
    ...attempt,
    status: "requires_action",
    next_action: { type: "redirect_to_url", redirect_to_url: { url, return_url: returnUrl } },
  };
  store.save(waiting);
  return waiting;
}

/** The publishable key sees an intent only with its client secret. */
function authorized(c: Context<StripeContext>, id: string): SetupIntent {
  const intent = c.var.store.setupIntent(id);
  if (!intent || (c.var.key === "publishable" && c.var.form.client_secret !== intent.client_secret)) {
    throw noSuch("setupintent", id, "intent");
  }
  return intent;
}

function shown(c: Context<StripeContext>, intent: SetupIntent): Response {
  return c.json(c.var.key === "secret" ? intent : browserSetupIntent.parse(intent));
}
