import type { SetupIntent, StripeErrorBody } from "./objects";

/** Answered as `{"error": {…}}`. */
export class StripeFailure extends Error {
  override readonly name = "StripeFailure";
  constructor(
    readonly status: number,
    readonly body: StripeErrorBody,
  ) {
    super(body.message);
  }
}

export function invalidRequest(message: string, details: { code?: string; param?: string; status?: number } = {}) {
  const { status = 400, ...rest } = details;
  return new StripeFailure(status, { type: "invalid_request_error", message, ...rest });
}

/** @param kind as Stripe spells it in this message: `setupintent`, `customer`, `PaymentMethod` */
export function noSuch(kind: string, id: string, param = "id") {
  return invalidRequest(`No such ${kind}: '${id}'`, { code: "resource_missing", param, status: 404 });
}

export function unexpectedState(intent: SetupIntent, verb: string) {
  return new StripeFailure(400, {
    type: "invalid_request_error",
    code: "setup_intent_unexpected_state",
    doc_url: docUrl("setup_intent_unexpected_state"),
    message: `You cannot ${verb} this SetupIntent because it has a status of ${intent.status}.`,
    setup_intent: intent,
  });
}

export function docUrl(code: string): string {
  return `https://stripe.com/docs/error-codes/${code.replaceAll("_", "-")}`;
}
