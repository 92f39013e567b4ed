import { uint8ArrayToBase64 } from "uint8array-extras";
import type { SubscriptionRequest } from "../../../contract/subscription-request";

const ALGORITHM = { name: "HMAC", hash: "SHA-256" };
/** 96 bits keep resume links short. */
const KEY_BYTES = 12;
const encoder = new TextEncoder();

export type IdempotencyKeyOf = (request: SubscriptionRequest, nonce: string | undefined) => Promise<string>;

/**
 * A double click and an unchanged retry get the same key, an edited form a new one. A key cannot be used to guess the
 * password, even with the API's database and the secret, because the form cookie's nonce is random and neither stored
 * nor logged. Without a nonce, the key leaves out the password.
 */
export function idempotencyKeys([secret = ""]: readonly string[]): IdempotencyKeyOf {
  let key: Promise<CryptoKey> | undefined;
  return async (request, nonce) => {
    key ??= crypto.subtle.importKey("raw", encoder.encode(`idempotency-key:${secret}`), ALGORITHM, false, ["sign"]);
    const known = nonce === undefined ? { ...request, password: undefined } : request;
    // Stable, because the schema fixes the order of the fields.
    const message = encoder.encode(JSON.stringify([nonce, known]));
    const mac = await crypto.subtle.sign(ALGORITHM.name, await key, message);
    return uint8ArrayToBase64(new Uint8Array(mac, 0, KEY_BYTES), { urlSafe: true });
  };
}
