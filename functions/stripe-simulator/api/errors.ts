import type { SetupIntent } from "../store/objects";

export type StripeErrorBody = {
  type: "api_error" | "card_error" | "idempotency_error" | "invalid_request_error" | "rate_limit_error";
  code?: string;
  decline_code?: string;
  doc_url?: string;
  message: string;
  param?: string;
  setup_intent?: object;
};

export class StripeFailure extends Error {
  override readonly name = "StripeFailure";
  constructor(
    readonly status: number,
    readonly body: StripeErrorBody,
  ) {
    super(body.message);
  }
}

type Details = { code?: string; param?: string; status?: number; setup_intent?: object };

export function invalidRequest(message: string, { status = 400, ...rest }: Details = {}) {
  const { code } = rest;
  const doc_url = code === undefined ? {} : { doc_url: docUrl(code) };
  return new StripeFailure(status, { type: "invalid_request_error", message, ...doc_url, ...rest });
}

export function missingParameter(param: string) {
  return invalidRequest(`Missing required param: ${param}.`, { code: "parameter_missing", param });
}

/** @param kind as Stripe spells it in this message: `setupintent`, `customer`, `PaymentMethod` */
export function noSuch(kind: string, id: string, param = "id", status = 404) {
  return invalidRequest(`No such ${kind}: '${id}'`, { code: "resource_missing", param, status });
}

export function cardError(code: string, message: string, more: { param?: string; decline_code?: string } = {}) {
  return new StripeFailure(402, { type: "card_error", code, doc_url: docUrl(code), message, ...more });
}

export function unexpectedState(intent: SetupIntent, verb: string, shown: object) {
  const message = `You cannot ${verb} this SetupIntent because it has a status of ${intent.status}.`;
  return invalidRequest(message, { code: "setup_intent_unexpected_state", setup_intent: shown });
}

export function keyInUse(key = "") {
  const code = "idempotency_key_in_use";
  const message = `There is currently another in-progress request using this Idempotency Key: ${key}. Please try again later.`;
  return new StripeFailure(409, { type: "idempotency_error", code, doc_url: docUrl(code), message });
}

export function docUrl(code: string): string {
  return `https://stripe.com/docs/error-codes/${code.replaceAll("_", "-")}`;
}
