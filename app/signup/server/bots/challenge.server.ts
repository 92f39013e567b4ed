import type { SubscriptionRequest } from "../../../contract/subscription-request";
import { sign, signerOf } from "../submit/signature.server";

/** Long enough to type a password again. */
const VALID_FOR_MS = 10 * 60 * 1000;
const PURPOSE = "confirmation";

/** Challenge tokens: each confirms one form, for ten minutes. */
export interface Challenges {
  issue(nonce: string, request: SubscriptionRequest): Promise<string>;
  isFor(token: string, nonce: string, request: SubscriptionRequest): Promise<boolean>;
}

/** The first secret signs; signatures of all secrets are valid. */
export function challenges(secrets: readonly string[], now: () => number = Date.now): Challenges {
  const [current = ""] = secrets;

  return {
    async issue(nonce, request) {
      const issued = now().toString(36);
      return `${issued}.${await sign(current, PURPOSE, messageOf(issued, nonce, request))}`;
    },
    async isFor(token, nonce, request) {
      const [issued = "", signature = ""] = token.split(".");
      const age = now() - Number.parseInt(issued, 36);
      if (!(age >= 0 && age <= VALID_FOR_MS)) return false;
      return (await signerOf(secrets, PURPOSE, messageOf(issued, nonce, request), signature)) !== undefined;
    },
  };
}

/** Without the password, which is typed again without JavaScript and must not leak through the token. */
function messageOf(issued: string, nonce: string, { password: _, ...request }: SubscriptionRequest): string {
  return JSON.stringify([issued, nonce, request]);
}
