import { createHash, timingSafeEqual } from "node:crypto";

/** Compares in constant time. */
export function isOneOf(given: string, secrets: readonly string[]): boolean {
  const digest = digestOf(given);
  return secrets.map((secret) => timingSafeEqual(digest, digestOf(secret))).includes(true);
}

function digestOf(value: string): Buffer {
  return createHash("sha256").update(value).digest();
}
