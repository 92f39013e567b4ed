import { base64ToUint8Array, uint8ArrayToBase64 } from "uint8array-extras";
import type { SubscriptionRequest } from "../../contract/subscription-request";
import { randomToken } from "../../edge/random-token.server";

const VALID_FOR_MS = 24 * 60 * 60 * 1000;

/** Signed, dated values, one in each rendered form. */
export interface FormNonces {
  issue(): Promise<string>;
  /** Proof of origin for browsers that send no Origin header. */
  isFresh(nonce: string): Promise<boolean>;
  /**
   * The same for an unchanged retry, another after an edit. It reveals nothing about the password, even to somebody who
   * has the database and the secret: a nonce is random, and neither stored nor logged. Without a valid one the password
   * is left out.
   */
  idempotencyKey(nonce: string, request: SubscriptionRequest): Promise<string>;
}

/** The first secret signs. What another one has signed is valid too, and keeps its idempotency key. */
export function formNonces(secrets: readonly string[], now: () => number = Date.now): FormNonces {
  const [current = ""] = secrets;

  async function signerOf(nonce: string): Promise<string | undefined> {
    const { value, signature } = partsOf(nonce);
    const verified = await Promise.all(secrets.map((secret) => verify(secret, "form-nonce", value, signature)));
    return secrets[verified.indexOf(true)];
  }

  return {
    async issue() {
      const value = `${now().toString(36)}.${randomToken()}`;
      return `${value}.${await sign(current, "form-nonce", value)}`;
    },
    async isFresh(nonce) {
      const age = now() - Number.parseInt(nonce, 36);
      return age >= 0 && age <= VALID_FOR_MS && (await signerOf(nonce)) !== undefined;
    },
    async idempotencyKey(nonce, request) {
      const signer = await signerOf(nonce);
      const known = signer === undefined ? { ...request, password: undefined } : request;
      // Stable: the schema fixes the order of the fields, and JSON omits undefined ones.
      return sign(signer ?? current, "idempotency-key", JSON.stringify([nonce, known]));
    },
  };
}

function partsOf(nonce: string): { value: string; signature: string } {
  const end = Math.max(nonce.lastIndexOf("."), 0);
  return { value: nonce.slice(0, end), signature: nonce.slice(end + 1) };
}

const algorithm = { name: "HMAC", hash: "SHA-256" };
const encoder = new TextEncoder();
const keys = new Map<string, CryptoKey>();

/** HMAC-SHA-256 (RFC 2104) in base64url, with a key for one purpose. */
async function sign(secret: string, purpose: string, message: string): Promise<string> {
  const mac = await crypto.subtle.sign(algorithm.name, await keyFor(secret, purpose), encoder.encode(message));
  return uint8ArrayToBase64(new Uint8Array(mac), { urlSafe: true });
}

/** Compares in constant time. */
async function verify(secret: string, purpose: string, message: string, signature: string): Promise<boolean> {
  let mac: Uint8Array<ArrayBuffer>;
  try {
    mac = new Uint8Array(base64ToUint8Array(signature));
  } catch {
    return false;
  }
  return crypto.subtle.verify(algorithm.name, await keyFor(secret, purpose), mac, encoder.encode(message));
}

async function keyFor(secret: string, purpose: string): Promise<CryptoKey> {
  const material = `${purpose}:${secret}`;
  const known = keys.get(material);
  if (known !== undefined) return known;
  const key = await crypto.subtle.importKey("raw", encoder.encode(material), algorithm, false, ["sign", "verify"]);
  keys.set(material, key);
  return key;
}
