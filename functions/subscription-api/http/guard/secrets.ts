import { createHash, timingSafeEqual } from "node:crypto";

/** Takes the same time whatever the value is. */
export function isOneOf(given: string, secrets: readonly string[]): boolean {
  const digest = digestOf(given);
  return secrets.map((secret) => timingSafeEqual(digest, digestOf(secret))).includes(true);
}

function digestOf(value: string): Buffer {
  return createHash("sha256").update(value).digest();
}
