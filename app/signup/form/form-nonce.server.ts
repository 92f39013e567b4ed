import { sign } from "../session/hmac.server";

const VALID_FOR_MS = 24 * 60 * 60 * 1000;

/**
 * Signed, dated values that each rendered form carries. They tell one filled form from another (the idempotency key
 * is made from them) and vouch for clients that name no origin, such as text browsers.
 */
export interface FormNonces {
  issue(): Promise<string>;
  /** Whether this site issued the nonce within the last 24 hours. */
  isFresh(nonce: string): Promise<boolean>;
}

export function formNonces(secret: string, now: () => number = Date.now): FormNonces {
  return {
    async issue() {
      const value = `${now().toString(36)}.${crypto.randomUUID()}`;
      return `${value}.${await sign(secret, "form-nonce", value)}`;
    },
    async isFresh(nonce) {
      const end = Math.max(nonce.lastIndexOf("."), 0);
      const value = nonce.slice(0, end);
      // Both sides are MACs under a key that the client does not have: comparing them tells nothing about it.
      if (nonce.slice(end + 1) !== (await sign(secret, "form-nonce", value))) return false;
      const age = now() - Number.parseInt(value, 36);
      return age >= 0 && age <= VALID_FOR_MS;
    },
  };
}
