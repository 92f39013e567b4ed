import type { SubscriptionRequest } from "../../contract/subscription-request";
import { sign } from "../session/hmac.server";

/** The same for an unchanged retry, another after an edit. Keyed, so that it reveals nothing about the password. */
export function idempotencyKey(secret: string, nonce: string, request: SubscriptionRequest): Promise<string> {
  // Stable: the schema fixes the order of the fields, and JSON omits undefined ones.
  return sign(secret, "idempotency-key", JSON.stringify([nonce, request]));
}
