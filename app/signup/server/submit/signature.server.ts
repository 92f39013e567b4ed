import { base64ToUint8Array, uint8ArrayToBase64 } from "uint8array-extras";

const algorithm = { name: "HMAC", hash: "SHA-256" };
const encoder = new TextEncoder();
const keys = new Map<string, CryptoKey>();

/** HMAC-SHA-256 (RFC 2104) in base64url, with a key for one purpose. */
export async function sign(secret: string, purpose: string, message: string): Promise<string> {
  const mac = await crypto.subtle.sign(algorithm.name, await keyFor(secret, purpose), encoder.encode(message));
  return uint8ArrayToBase64(new Uint8Array(mac), { urlSafe: true });
}

/** The secret that signed the message, compared in constant time. */
export async function signerOf(
  secrets: readonly string[],
  purpose: string,
  message: string,
  signature: string,
): Promise<string | undefined> {
  const verified = await Promise.all(secrets.map((secret) => verify(secret, purpose, message, signature)));
  return secrets[verified.indexOf(true)];
}

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
