import { uint8ArrayToBase64 } from "uint8array-extras";

/** 128 random bits in base64url; a UUID has six fewer (OWASP ASVS 5.0, 11.5.1). */
export function randomToken(): string {
  return uint8ArrayToBase64(crypto.getRandomValues(new Uint8Array(16)), { urlSafe: true });
}
