import type { SubscriptionRequest } from "../../../contract/subscription-request";
import { sign, signerOf } from "../submit/signature.server";

/** Enough to type a password again. After that the form is asked about once more. */
const VALID_FOR_MS = 10 * 60 * 1000;
const PURPOSE = "confirmation";

/** What the button sends with which a visitor confirms a form: it is for this form alone, and for some minutes. */
export interface Challenges {
  issue(nonce: string, request: SubscriptionRequest): Promise<string>;
  isFor(token: string, nonce: string, request: SubscriptionRequest): Promise<boolean>;
}

/** The first secret signs; what another one has signed is valid too. */
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

/** Without the password, which is typed again where there is no script, and of which the token must tell nothing. */
function messageOf(issued: string, nonce: string, { password: _, ...request }: SubscriptionRequest): string {
  return JSON.stringify([issued, nonce, request]);
}
