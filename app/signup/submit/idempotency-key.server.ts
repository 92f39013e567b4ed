import type { SubscriptionRequest } from "../../contract/subscription-request";
import { sign } from "../session/hmac.server";

/**
 * The `Idempotency-Key` of a sign-up (design.md): the same for an unchanged retry of the same form, another one after
 * an edit. Keyed, so that it tells nothing about the password in it.
 * @param nonce of the form that was sent; empty where it had none
 */
export function idempotencyKey(secret: string, nonce: string, request: SubscriptionRequest): Promise<string> {
  // Canonical as it is: the schema gives the fields in its own order, and JSON leaves out those that are undefined.
  return sign(secret, "idempotency-key", JSON.stringify([nonce, request]));
}
