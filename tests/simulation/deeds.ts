import type { Heard } from "./world";

/** `shown` is the plan's price on the page, in cents; undefined if the site does not send it. */
export type Form = {
  name: string;
  key: string;
  email: string;
  plan: { id: string | undefined };
  shown?: number | undefined;
};
/** A form and the last answer to it. */
export type Told = Form & { heard: Heard };
/** A card accepted by Stripe: its owner agrees to the form's plan, and to no more than its price. */
export type Consent = Form & { setupIntent: string; card: string; declined: number; at: number };
/** All that was done and told; `closed` and `verified` are ids of sign-ups. */
export class Deeds {
  readonly told: Told[] = [];
  readonly consents: Consent[] = [];
  /** Cards that Stripe did not accept, because there was no open setup intent for them. */
  readonly refused: Consent[] = [];
  /** Setup intents whose customer or card was deleted at Stripe. */
  readonly removed = new Set<string>();
  /** When each key was used first. */
  readonly firstSent = new Map<string, number>();
  readonly erased: { email: string; at: number }[] = [];
  readonly closed: string[] = [];
  /** When the owner of an address first asked to end a sign-up, by its id. */
  readonly reportedNotMe = new Map<string, number>();
  readonly verified: string[] = [];
}

export const intentOf = (heard: Heard): string =>
  (heard?.status === 200 && /"client_secret":"(\w+)_secret_/.exec(heard.text)?.[1]) || "";
