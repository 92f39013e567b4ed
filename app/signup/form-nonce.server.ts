import { sign } from "./signing.server";

const VALID_FOR_MS = 24 * 60 * 60 * 1000;

/**
 * Signed, dated values that each rendered form carries. They tell one filled form from another (the idempotency key
 * is made from them) and vouch for clients that name no origin, such as text browsers.
 */
export interface FormNonces {
  issue(): Promise<string>;
  /** Whether this site issued the nonce within the last 24 hours. */
  isFresh(nonce: string | null): Promise<boolean>;
}

export function formNonces(secret: string, now: () => number = Date.now): FormNonces {
  return {
    async issue() {
      const value = `${now().toString(36)}.${crypto.randomUUID()}`;
      return `${value}.${await sign(secret, "form-nonce", value)}`;
    },
    async isFresh(nonce) {
      const [issued, random, signature] = nonce?.split(".") ?? [];
      if (!issued || !random || !signature) return false;
      const age = now() - Number.parseInt(issued, 36);
      // Both sides are MACs under a key that the client does not have: comparing them tells nothing about it.
      const matches = signature === (await sign(secret, "form-nonce", `${issued}.${random}`));
      return matches && age >= 0 && age <= VALID_FOR_MS;
    },
  };
}
