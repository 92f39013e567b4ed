import { createHmac } from "node:crypto";

/** HMAC-SHA-256 in Base64url; equal only for the same parts in the same order. */
export function keyedHash(secret: string, ...parts: string[]): string {
  return createHmac("sha256", secret).update(JSON.stringify(parts)).digest("base64url");
}
