import { sign } from "./signing.server";

const VALID_FOR_MS = 24 * 60 * 60 * 1000;

/**
 * Signed, dated values that each rendered form carries. They tell one filled form from another (the idempotency key
 * is made from them) and vouch for clients that name no origin, such as text browsers.
 */
export interface FormNonces {
  issue(): Promise<string>;
  /** Whether this site issued the nonce. */
  isGenuine(nonce: string): Promise<boolean>;
  /** Whether this site issued the nonce within the last 24 hours. */
  isFresh(nonce: string): Promise<boolean>;
}

export function formNonces(secret: string, now: () => number = Date.now): FormNonces {
  /** When the nonce was issued; undefined when this site did not. */
  async function issuedAt(nonce: string): Promise<number | undefined> {
    const end = nonce.lastIndexOf(".");
    const value = nonce.slice(0, Math.max(end, 0));
    // Both sides are MACs under a key that the client does not have: comparing them tells nothing about it.
    const matches = nonce.slice(end + 1) === (await sign(secret, "form-nonce", value));
    return matches ? Number.parseInt(value, 36) : undefined;
  }

  return {
    async issue() {
      const value = `${now().toString(36)}.${crypto.randomUUID()}`;
      return `${value}.${await sign(secret, "form-nonce", value)}`;
    },
    async isGenuine(nonce) {
      return (await issuedAt(nonce)) !== undefined;
    },
    async isFresh(nonce) {
      const issued = await issuedAt(nonce);
      return issued !== undefined && now() >= issued && now() - issued <= VALID_FOR_MS;
    },
  };
}
