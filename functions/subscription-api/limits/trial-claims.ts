import type { TrialConfig } from "../config";
import { keyedHash } from "./keyed-hash";
import { mailboxOf } from "./mailbox";

/** The hashes by which a trial is claimed (table `trial_claims`). */
export type TrialClaim = {
  email: string[];
  /** Null if cards do not count or Stripe has no fingerprint. */
  card: string | null;
};

export type TrialClaims = ReturnType<typeof trialClaims>;

/** One trial for each email address and, with ONE_TRIAL_PER_PERSON, for each mailbox and card. */
export function trialClaims({ hashSecret, onePerPerson }: TrialConfig) {
  const hash = (kind: string, value: string) => keyedHash(hashSecret, kind, value);
  const emailsOf = (email: string) =>
    onePerPerson ? [hash("email", email), hash("mailbox", mailboxOf(email))] : [hash("email", email)];
  return {
    emailsOf,

    of(email: string, fingerprint: string | null): TrialClaim {
      const card = onePerPerson && fingerprint !== null ? hash("card", fingerprint) : null;
      return { email: emailsOf(email), card };
    },

    /** An address's claims, whatever the setting was when they were made, and the marks that they were given back. */
    freedOf(email: string): { claims: string[]; marks: string[] } {
      const mailbox = mailboxOf(email);
      return {
        claims: [hash("email", email), hash("mailbox", mailbox)],
        marks: onePerPerson
          ? [hash("freed-email", email), hash("freed-mailbox", mailbox)]
          : [hash("freed-email", email)],
      };
    },
  };
}
