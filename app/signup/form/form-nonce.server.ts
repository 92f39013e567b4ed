import { sign, verify } from "../session/hmac.server";

const VALID_FOR_MS = 24 * 60 * 60 * 1000;
const PURPOSE = "form-nonce";

/** Part of the idempotency key, and proof of origin for browsers that send no Origin header. */
export interface FormNonces {
  issue(): Promise<string>;
  isFresh(nonce: string): Promise<boolean>;
}

/** The first secret signs; nonces signed with any of them are valid. */
export function formNonces(secrets: readonly string[], now: () => number = Date.now): FormNonces {
  const [current = ""] = secrets;
  return {
    async issue() {
      const value = `${now().toString(36)}.${crypto.randomUUID()}`;
      return `${value}.${await sign(current, PURPOSE, value)}`;
    },
    async isFresh(nonce) {
      const end = Math.max(nonce.lastIndexOf("."), 0);
      const value = nonce.slice(0, end);
      const age = now() - Number.parseInt(value, 36);
      if (!(age >= 0 && age <= VALID_FOR_MS)) return false;
      const verified = await Promise.all(secrets.map((secret) => verify(secret, PURPOSE, value, nonce.slice(end + 1))));
      return verified.includes(true);
    },
  };
}
