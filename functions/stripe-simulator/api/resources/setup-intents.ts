import { cardOutcome } from "../../cards/cards";
import { definition } from "../../schema/schema";
import { newId } from "../../store/ids";
import { make, merge, type SetupIntent } from "../../store/objects";
import {
  cardError,
  invalidRequest,
  missingParameter,
  type StripeErrorBody,
  StripeFailure,
  unexpectedState,
} from "../errors";
import type { Call, Effects, Handlers } from "../operation-context";
import { missing } from "../reads";
import { requireCustomer } from "./customers";
import { attach, createPaymentMethod, findPaymentMethod } from "./payment-methods";

/** https://docs.stripe.com/changelog/dahlia/2026-07-29/allowed-payment-method-types-parameter */
const BESIDE_ALLOWED_TYPES = [
  "automatic_payment_methods",
  "excluded_payment_method_types",
  "payment_method_configuration",
] as const;

export const DECLINED = cardError("card_declined", "Your card was declined.", { decline_code: "generic_decline" });

export const setupIntents = {
  "POST /v1/setup_intents": (given, { store, now, emit }) => {
    const { expand: _, ...fields } = given;
    const { customer = null, allowed_payment_method_types: allowed } = given;
    const excluded = allowed && BESIDE_ALLOWED_TYPES.find((name) => given[name] !== undefined);
    if (excluded) {
      throw invalidRequest(`You may only specify one of these parameters: allowed_payment_method_types, ${excluded}.`, {
        code: "parameters_exclusive",
        param: excluded,
      });
    }
    if (customer !== null) requireCustomer(customer, store);
    const id = newId("seti");
    const blank = make("SetupIntent", {
      id,
      client_secret: newId(`${id}_secret`),
      created: now(customer),
      metadata: {},
      payment_method_options: { card: { request_three_d_secure: "automatic" } },
      payment_method_types: allowed?.filter((type) => type === "card") ?? ["card"],
      status: "requires_payment_method",
      usage: "off_session",
    });
    const intent = store.save("SetupIntent", merge("SetupIntent", blank, fields));
    emit("setup_intent.created", intent);
    return intent;
  },

  "GET /v1/setup_intents/:id": (given, call) => {
    const intent = authorized(call, given.client_secret);
    const method = call.store.find("PaymentMethod", intent.payment_method ?? "");
    if (call.key === "secret" || !method || !given.expand?.includes("payment_method")) return shown(intent, call);
    return { ...browserIntent(intent), payment_method: method };
  },

  "POST /v1/setup_intents/:id/confirm": (given, call) => {
    const { payment_method, return_url, use_stripe_sdk } = given;
    const intent = authorized(call, call.clientSecret);
    if (intent.status === "succeeded" || intent.status === "canceled" || intent.status === "processing") {
      throw unexpectedState(intent, "confirm", shown(intent, call));
    }
    const effects = call.at(call.now(intent.customer));
    const method = call.card
      ? createPaymentMethod(call.card, effects)
      : payment_method !== undefined && findPaymentMethod(payment_method, effects);
    if (!method) {
      throw invalidRequest(
        "You cannot confirm this SetupIntent because it's missing a payment method. Provide a payment method and try again.",
        { code: "setup_intent_unexpected_state" },
      );
    }
    const attempt = { ...intent, latest_attempt: newId("setatt"), last_setup_error: null, next_action: null };
    const tried: SetupIntent = { ...attempt, payment_method: method.id };
    switch (cardOutcome(call.store.cardNumber(method.id) ?? "")) {
      case "succeeds":
      case "charge-fails":
        return shown(succeed(tried, call), call);
      case "needs-authentication":
        return shown(askForAuthentication(tried, call, return_url, false), call);
      case "always-needs-authentication":
        return shown(askForAuthentication(tried, call, return_url, use_stripe_sdk === true), call);
      case "declined": {
        const failed = fail(tried, DECLINED.body, call);
        throw new StripeFailure(402, { ...DECLINED.body, setup_intent: shown(failed, call) });
      }
    }
  },

  "POST /v1/setup_intents/:id/cancel": (given, call) => {
    const intent = authorized(call);
    if (intent.status === "succeeded" || intent.status === "canceled" || intent.status === "processing") {
      throw unexpectedState(intent, "cancel", intent);
    }
    const canceled = call.store.save("SetupIntent", {
      ...intent,
      status: "canceled",
      cancellation_reason: given.cancellation_reason ?? null,
      next_action: null,
    });
    call.emit("setup_intent.canceled", canceled);
    return canceled;
  },
} satisfies Partial<Handlers>;

export function succeed(attempt: SetupIntent, effects: Effects): SetupIntent {
  const { store, emit } = effects;
  const method = store.find("PaymentMethod", attempt.payment_method ?? "");
  if (method && attempt.customer !== null) attach(method, attempt.customer, effects);
  const succeeded = store.save("SetupIntent", {
    ...attempt,
    status: "succeeded",
    last_setup_error: null,
    next_action: null,
  });
  emit("setup_intent.succeeded", succeeded);
  return succeeded;
}

export function fail(
  attempt: SetupIntent,
  error: Omit<StripeErrorBody, "setup_intent">,
  { store, emit }: Effects,
): SetupIntent {
  const method = store.find("PaymentMethod", attempt.payment_method ?? "");
  const failed = store.save("SetupIntent", {
    ...attempt,
    status: "requires_payment_method",
    payment_method: null,
    last_setup_error: { ...error, ...(method && { payment_method: method }) },
    next_action: null,
  });
  emit("setup_intent.setup_failed", failed);
  return failed;
}

/** Stripe.js shows the bank's page in a dialog of its own; without it the browser is sent there. */
function askForAuthentication(attempt: SetupIntent, call: Call, returnUrl: string | undefined, inDialog: boolean) {
  if (returnUrl === undefined) throw missingParameter("return_url");
  const url = `${call.origin}/authenticate/${attempt.id}/${attempt.latest_attempt}`;
  const waiting = call.store.save("SetupIntent", {
    ...attempt,
    status: "requires_action",
    next_action: inDialog
      ? { type: "use_stripe_sdk", use_stripe_sdk: {} }
      : { type: "redirect_to_url", redirect_to_url: { url, return_url: returnUrl } },
  });
  call.emit("setup_intent.requires_action", waiting);
  return waiting;
}

/** The publishable key sees an intent only with its client secret. */
function authorized({ store, id, key }: Call, clientSecret?: string): SetupIntent {
  const intent = store.find("SetupIntent", id);
  if (!intent || (key === "publishable" && clientSecret !== intent.client_secret)) {
    throw missing("SetupIntent", id);
  }
  return intent;
}

function shown(intent: SetupIntent, { key }: Call): object {
  return key === "secret" ? intent : browserIntent(intent);
}

function browserIntent(intent: SetupIntent): object {
  const { properties = {} } = definition("BrowserSetupIntent");
  return Object.fromEntries(Object.entries(intent).filter(([name]) => name in properties));
}
