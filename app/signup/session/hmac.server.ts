import { base64ToUint8Array, uint8ArrayToBase64 } from "uint8array-extras";

const algorithm = { name: "HMAC", hash: "SHA-256" };
const encoder = new TextEncoder();

/** Imported once: there are one or two secrets with a handful of purposes. */
const keys = new Map<string, CryptoKey>();

/** An HMAC-SHA-256 (RFC 2104) of `message` in base64url, under a key for one purpose. */
export async function sign(secret: string, purpose: string, message: string): Promise<string> {
  const mac = await crypto.subtle.sign(algorithm.name, await keyFor(secret, purpose), encoder.encode(message));
  return uint8ArrayToBase64(new Uint8Array(mac), { urlSafe: true });
}

/** Whether `signature` is what {@link sign} gives for the message, compared in constant time by the platform. */
export async function verify(secret: string, purpose: string, message: string, signature: string): Promise<boolean> {
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
