import { uint8ArrayToBase64 } from "uint8array-extras";

const algorithm = { name: "HMAC", hash: "SHA-256" };
const encoder = new TextEncoder();

/** Imported once: there is one secret with a handful of purposes. */
const keys = new Map<string, CryptoKey>();

/** An HMAC-SHA-256 (RFC 2104) of `message` in base64url, under a key for one purpose. */
export async function sign(secret: string, purpose: string, message: string): Promise<string> {
  const mac = await crypto.subtle.sign("HMAC", await keyOf(`${purpose}:${secret}`), encoder.encode(message));
  return uint8ArrayToBase64(new Uint8Array(mac), { urlSafe: true });
}

async function keyOf(material: string): Promise<CryptoKey> {
  const known = keys.get(material);
  if (known !== undefined) return known;
  const key = await crypto.subtle.importKey("raw", encoder.encode(material), algorithm, false, ["sign"]);
  keys.set(material, key);
  return key;
}
