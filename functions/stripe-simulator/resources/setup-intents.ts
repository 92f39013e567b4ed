import type Stripe from "stripe";
import * as z from "zod";
import { invalidRequest, StripeFailure } from "../api/errors";
import { type Call, existing, listing, missing, type Operation, operation } from "../api/operation";
import { flag, list, metadata, optionalText, type Readers, text } from "../api/parameters";
import { type CardOutcome, cardOutcome } from "../cards/test-cards";
import type { Effects } from "../store/events";
import { newId, nulls, type SetupIntent } from "../store/objects";
import { attach, createPaymentMethod, paymentMethodData, testCard } from "./payment-methods";

/** Adds what only Stripe.js sends, so the package's types lack it: the card data and the client secret. */
type ConfirmParams = Omit<Stripe.SetupIntentConfirmParams, "payment_method_data"> & {
  client_secret?: string;
  payment_method_data?: Stripe.PaymentMethodCreateParams;
};

const create = {
  allowed_payment_method_types: list(z.literal("card")),
  customer: text,
  metadata: metadata.optional(),
  usage: z.literal("off_session"),
} satisfies Readers<Stripe.SetupIntentCreateParams>;

const confirm = {
  client_secret: optionalText,
  payment_method: optionalText,
  payment_method_data: paymentMethodData.optional(),
  return_url: text,
  use_stripe_sdk: flag.optional(),
} satisfies Readers<ConfirmParams>;

const listed = { customer: optionalText } satisfies Readers<Stripe.SetupIntentListParams>;

export const setupIntents: Operation[] = [
  listing("/v1/setup_intents", "SetupIntent", listed),

  operation("POST /v1/setup_intents", create, (given, { store, now, emit }) => {
    const { id: customer } = existing("Customer", given.customer, store, "customer");
    const id = newId("seti");
    const intent = store.save("SetupIntent", {
      ...nulls("application", "automatic_payment_methods", "cancellation_reason", "customer_account", "description"),
      ...nulls("excluded_payment_method_types", "flow_directions", "last_setup_error", "latest_attempt", "mandate"),
      ...nulls("next_action", "on_behalf_of", "payment_method", "payment_method_configuration_details"),
      ...nulls("single_use_mandate"),
      ...{ id, object: "setup_intent", client_secret: newId(`${id}_secret`), created: now, customer, livemode: false },
      ...{ allowed_payment_method_types: given.allowed_payment_method_types, payment_method_types: ["card"] },
      payment_method_options: {
        card: { ...nulls("mandate_options", "network"), request_three_d_secure: "automatic" },
      },
      ...{ metadata: given.metadata ?? {}, status: "requires_payment_method", usage: given.usage },
    });
    return emit("setup_intent.created", intent);
  }),

  operation(
    "GET /v1/setup_intents/:id",
    { client_secret: optionalText } satisfies Readers<Stripe.SetupIntentRetrieveParams>,
    ({ client_secret }, call) => shown(authorized(call, client_secret), call),
    true,
  ),

  operation(
    "POST /v1/setup_intents/:id/confirm",
    confirm,
    ({ client_secret, return_url, use_stripe_sdk = false, ...given }, call) => {
      const intent = authorized(call, client_secret);
      requireUnfinished(intent, "confirm", call);
      existing("Customer", intent.customer ?? "", call.store, "customer");
      const method = createPaymentMethod(given.payment_method_data ?? testCard(given.payment_method), call);
      const attempt = { latest_attempt: newId("setatt"), last_setup_error: null, next_action: null };
      const tried: SetupIntent = { ...intent, ...attempt, payment_method: method.id };
      const { challenge, declined } = outcomeOf(tried, call);
      if (challenge) {
        const inDialog = challenge === "dialog" && use_stripe_sdk;
        return shown(askForAuthentication(tried, call, return_url, inDialog), call);
      }
      if (!declined) return shown(succeed(tried, call), call);
      const setup_intent = shown(fail(tried, declined, call), call);
      throw new StripeFailure(402, { ...declined.body, setup_intent });
    },
    true,
  ),

  operation(
    "POST /v1/setup_intents/:id/cancel",
    { cancellation_reason: z.literal("abandoned").optional() } satisfies Readers<Stripe.SetupIntentCancelParams>,
    ({ cancellation_reason = null }, call) => {
      const intent = authorized(call);
      requireUnfinished(intent, "cancel", call);
      const changes = { status: "canceled" as const, cancellation_reason, next_action: null };
      return call.emit("setup_intent.canceled", call.store.save("SetupIntent", { ...intent, ...changes }));
    },
  ),
];

export function finishAuthentication(attempt: SetupIntent, passed: boolean, effects: Effects): SetupIntent {
  const failure = passed ? outcomeOf(attempt, effects).declined : NOT_AUTHENTICATED;
  return failure ? fail(attempt, failure, effects) : succeed(attempt, effects);
}

const NOT_AUTHENTICATED = new StripeFailure(402, {
  type: "invalid_request_error",
  code: "setup_intent_authentication_failure",
  message: "We are unable to authenticate your payment method. Please choose a different payment method and try again.",
});

function outcomeOf({ payment_method }: SetupIntent, { store }: Effects): CardOutcome {
  return cardOutcome(store.get(z.string(), "card", payment_method ?? ""));
}

function succeed(attempt: SetupIntent, effects: Effects): SetupIntent {
  const { store, emit } = effects;
  const method = store.find("PaymentMethod", attempt.payment_method);
  if (method && attempt.customer !== null) attach(method, attempt.customer, effects);
  const result = { status: "succeeded" as const, last_setup_error: null, next_action: null };
  return emit("setup_intent.succeeded", store.save("SetupIntent", { ...attempt, ...result }));
}

function fail(attempt: SetupIntent, { body }: StripeFailure, { store, emit }: Effects): SetupIntent {
  const { type, code, decline_code, doc_url, message } = body;
  const method = store.find("PaymentMethod", attempt.payment_method);
  const failed = store.save("SetupIntent", {
    ...attempt,
    status: "requires_payment_method",
    payment_method: null,
    last_setup_error: { type, code, decline_code, doc_url, message, ...(method && { payment_method: method }) },
    next_action: null,
  });
  return emit("setup_intent.setup_failed", failed);
}

/** Stripe.js shows the bank's page in a dialog, or the browser is redirected to it. */
function askForAuthentication(attempt: SetupIntent, call: Call, return_url: string, inDialog: boolean): SetupIntent {
  const url = `${call.origin}/authenticate/${attempt.id}/${attempt.latest_attempt}`;
  const waiting = call.store.save("SetupIntent", {
    ...attempt,
    status: "requires_action",
    next_action: inDialog
      ? { type: "use_stripe_sdk", use_stripe_sdk: {} }
      : { type: "redirect_to_url", redirect_to_url: { url, return_url } },
  });
  return call.emit("setup_intent.requires_action", waiting);
}

/** With a publishable key, an intent can be read only with its client secret. */
function authorized({ store, id, key }: Call, clientSecret?: string): SetupIntent {
  const intent = existing("SetupIntent", id, store);
  return key === "secret" || clientSecret === intent.client_secret ? intent : missing("SetupIntent", id);
}

function requireUnfinished(intent: SetupIntent, verb: string, call: Call): void {
  if (intent.status !== "succeeded" && intent.status !== "canceled") return;
  const message = `You cannot ${verb} this SetupIntent because it has a status of ${intent.status}.`;
  throw invalidRequest(message, { code: "setup_intent_unexpected_state", setup_intent: shown(intent, call) });
}

/** Hides the customer and the metadata from browsers. */
function shown(intent: SetupIntent, { key }: Call): object {
  const { customer, metadata, ...visible } = intent;
  return key === "secret" ? intent : visible;
}
