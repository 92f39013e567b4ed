type StripeErrorBody = {
  type: "api_error" | "card_error" | "idempotency_error" | "invalid_request_error" | "rate_limit_error";
  code?: string;
  decline_code?: string;
  doc_url?: string;
  message: string;
  param?: string;
  setup_intent?: object;
};

/** https://docs.stripe.com/api/errors */
export class StripeFailure extends Error {
  override readonly name = "StripeFailure";
  readonly body: StripeErrorBody;
  constructor(
    readonly status: number,
    { code, ...body }: StripeErrorBody,
  ) {
    super(body.message);
    const doc_url = code && `https://stripe.com/docs/error-codes/${code.replaceAll("_", "-")}`;
    this.body = { ...body, ...(code !== undefined && { code, doc_url }) };
  }
}

type Details = Pick<StripeErrorBody, "code" | "param" | "setup_intent"> & { status?: number };

export const invalidRequest = (message: string, { status = 400, ...rest }: Details = {}) =>
  new StripeFailure(status, { type: "invalid_request_error", message, ...rest });

export const cardError = (code: string, message: string, more: { param?: string; decline_code?: string }) =>
  new StripeFailure(402, { type: "card_error", code, message, ...more });

export function keyInUse(key = "") {
  return new StripeFailure(409, {
    type: "idempotency_error",
    code: "idempotency_key_in_use",
    message: `There is currently another in-progress request using this Idempotency Key: ${key}. Please try again later.`,
  });
}
