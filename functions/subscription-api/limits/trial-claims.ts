import type { TrialConfig } from "../config";
import { keyedHash } from "./keyed-hash";
import { mailboxOf } from "./mailbox";

/** The hashes by which a trial is claimed (table `trial_claims`). */
export type TrialClaim = {
  email: string;
  /** Includes the hash from before ONE_TRIAL_PER_PERSON changed. */
  emails: string[];
  /** Null if cards do not count or Stripe has no fingerprint. */
  card: string | null;
};

export type TrialClaims = {
  emailsOf(email: string): string[];
  of(email: string, fingerprint: string | null): TrialClaim;
};

export function trialClaims({ hashSecret, onePerPerson }: TrialConfig): TrialClaims {
  const ofEmail = (email: string) => keyedHash(hashSecret, "email", email);
  const emailsOf = (email: string) => {
    const mailbox = mailboxOf(email);
    return onePerPerson && mailbox !== email ? [ofEmail(mailbox), ofEmail(email)] : [ofEmail(email)];
  };
  return {
    emailsOf,
    of(email, fingerprint) {
      const card = onePerPerson && fingerprint !== null ? keyedHash(hashSecret, "card", fingerprint) : null;
      return { email: ofEmail(onePerPerson ? mailboxOf(email) : email), emails: emailsOf(email), card };
    },
  };
}
