import Stripe from "stripe";
import { sentenceOf as toolSentenceOf } from "../failures";

export function isOfOneCall(error: unknown): boolean {
  return isPermissionError(error) || error instanceof Stripe.errors.StripeInvalidRequestError;
}

export function isPermissionError(error: unknown): boolean {
  return error instanceof Stripe.errors.StripePermissionError;
}

export function sentenceOf(error: unknown, isLocal = false): string {
  const { errors } = Stripe;
  if (error instanceof errors.StripeAuthenticationError) {
    return "Stripe does not know the key: copy it again from https://dashboard.stripe.com/apikeys, of the same account and mode.";
  }
  if (error instanceof errors.StripePermissionError) {
    const [permission] = /rak_\w+/.exec(error.message) ?? [];
    return `The key lacks a permission${permission ? ` (${permission})` : ""}: tick it at https://dashboard.stripe.com/apikeys, or run this with the account's secret key.`;
  }
  if (error instanceof errors.StripeConnectionError) {
    return isLocal
      ? "The simulator cannot be reached: run npm start beside this."
      : "Stripe cannot be reached: look at the network and at https://status.stripe.com, then run this again.";
  }
  if (error instanceof errors.StripeRateLimitError) return "Stripe has had too many calls: run this again in a minute.";
  if (error instanceof errors.StripeInvalidRequestError) {
    return `Stripe refuses ${error.param ?? "a call"} (${error.requestId ?? "no request id"}): ${error.message}`;
  }
  if (error instanceof errors.StripeError) {
    return `Stripe failed with the status ${error.statusCode ?? "unknown"}: run this again, nothing is done twice.`;
  }
  return toolSentenceOf(error);
}
