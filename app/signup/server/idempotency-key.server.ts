import { uint8ArrayToBase64 } from "uint8array-extras";
import type { SubscriptionRequest } from "../../contract/subscription-request";

const ALGORITHM = { name: "HMAC", hash: "SHA-256" };
/** 96 bits, which keeps resume links short. */
const KEY_BYTES = 12;
const encoder = new TextEncoder();

/** @param nonce of the browser's form cookie */
export type IdempotencyKeyOf = (request: SubscriptionRequest, nonce: string | undefined) => Promise<string>;

/**
 * Keys for the API's `Idempotency-Key`: equal for a double click and an unchanged retry, another after an edit. A key cannot
 * be used to guess the password, even with the API's database and the secret, because the nonce is random and neither stored
 * nor logged. Without a nonce, the key omits the password. The first secret signs.
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
