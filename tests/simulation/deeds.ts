import { REQUEST_IN_PROGRESS, TERMS_CHANGED } from "../../app/contract/problem-types";
import type { Reply } from "./world";

/**
 * `shown` is the plan's price on the page, in cents; undefined if the site does not send it. `told` is the price in the API's last
 * answer, which the next pages show.
 */
export type Form = {
  name: string;
  key: string;
  email: string;
  plan: { id: string | undefined };
  shown?: number | undefined;
  told?: number | undefined;
};
/** A form and the last reply to it. */
export type SentForm = Form & { reply: Reply };
/** A card that Stripe accepted. Its owner agrees to the form's plan at the price shown, or less. */
export type Consent = Form & { setupIntent: string; card: string; at: number };
/** Everything that visitors and operators did. `closed` and `verified` are sign-up IDs. */
export class Deeds {
  readonly visitors: { name: string; email: string }[] = [];
  readonly sentForms: SentForm[] = [];
  readonly consents: Consent[] = [];
  /** Cards that Stripe did not accept because their setup intent was no longer open. */
  readonly refused: Consent[] = [];
  /** Setup intents whose customer or card was deleted at Stripe. */
  readonly removed = new Set<string>();
  /** The prices on the pages from which each idempotency key's form was sent. */
  readonly shown = new Map<string, number[]>();
  /** When each idempotency key was first used. */
  readonly firstSent = new Map<string, number>();
  readonly erased: { email: string; at: number }[] = [];
  readonly closed: string[] = [];
  /** When the owner of the email address first reported a sign-up, by its ID. */
  readonly reportedNotMe = new Map<string, number>();
  readonly verified: string[] = [];
  /** The customers that sales subscribed. */
  readonly sold = new Set<string>();
}

export const intentOf = (reply: Reply): string =>
  (reply?.status === 200 && /"client_secret":"(\w+)_secret_/.exec(reply.text)?.[1]) || "";

/** The price in an answer, in cents. */
export const centsIn = (reply: Reply): number | undefined => {
  const cents = /"price_cents":(\d+),"currency":"usd"/.exec(reply?.text ?? "")?.[1];
  return cents === undefined ? undefined : Number(cents);
};

/** True for a 409 after which the same form may still be accepted. */
export const mayBeSentAgain = ({ text }: NonNullable<Reply>): boolean =>
  text.includes(REQUEST_IN_PROGRESS) || text.includes(TERMS_CHANGED);
