import type { SubscriptionRequest } from "../../../contract/subscription-request";
import { randomToken } from "../../../pipeline/random-token.server";
import { sign, signerOf } from "./signature.server";

const VALID_FOR_MS = 24 * 60 * 60 * 1000;

export interface IssuedForm {
  id: string;
  /** Milliseconds since 1970. */
  issuedAt: number;
}

/** A signed, dated value for each rendered form. */
export interface FormNonces {
  issue(): Promise<string>;
  /** Undefined for a nonce that was changed or is older than a day. */
  read(nonce: string): Promise<IssuedForm | undefined>;
  /**
   * The same key for an unchanged retry, another after an edit. It cannot be used to guess the password, even with database
   * and secret, because the nonce is random and neither stored nor logged. Without a valid nonce, the key omits the password.
   */
  idempotencyKey(nonce: string, request: SubscriptionRequest): Promise<string>;
}

/** The first secret signs. Signatures of all secrets are valid and keep their idempotency keys. */
export function formNonces(secrets: readonly string[], now: () => number = Date.now): FormNonces {
  const [current = ""] = secrets;

  /** A post needs its nonce's signer twice. */
  let last: { nonce: string; signer: string | undefined } | undefined;

  async function signerOfNonce(nonce: string): Promise<string | undefined> {
    if (last?.nonce === nonce) return last.signer;
    const end = Math.max(nonce.lastIndexOf("."), 0);
    const signer = await signerOf(secrets, "form-nonce", nonce.slice(0, end), nonce.slice(end + 1));
    last = { nonce, signer };
    return signer;
  }

  return {
    async read(nonce) {
      const [issued = "", id = ""] = nonce.split(".");
      const issuedAt = Number.parseInt(issued, 36);
      const age = now() - issuedAt;
      const isFresh = age >= 0 && age <= VALID_FOR_MS && (await signerOfNonce(nonce)) !== undefined;
      return isFresh ? { id, issuedAt } : undefined;
    },
    async issue() {
      const value = `${now().toString(36)}.${randomToken()}`;
      return `${value}.${await sign(current, "form-nonce", value)}`;
    },
    async idempotencyKey(nonce, request) {
      const signer = await signerOfNonce(nonce);
      const known = signer === undefined ? { ...request, password: undefined } : request;
      // Stable, because the schema fixes the order of the fields and JSON omits undefined ones.
      return sign(signer ?? current, "idempotency-key", JSON.stringify([nonce, known]));
    },
  };
}
