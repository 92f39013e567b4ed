import { createHmac } from "node:crypto";
import type { TrialConfig } from "../config";

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

/** HMAC-SHA-256 in Base64url; equal only for the same parts in the same order. */
function keyedHash(secret: string, ...parts: string[]): string {
  return createHmac("sha256", secret).update(JSON.stringify(parts)).digest("base64url");
}

/** Providers that ignore dots in the local part: https://support.google.com/mail/answer/7436150 */
const IGNORES_DOTS = new Set(["gmail.com", "googlemail.com"]);

/** For comparison only: drops the plus tag (RFC 5233) and the dots that the provider ignores. */
function mailboxOf(email: string): string {
  const at = email.lastIndexOf("@");
  const domain = email.slice(at + 1);
  const untagged = email.slice(0, at).replace(/(?<=.)\+.*$/, "");
  if (!IGNORES_DOTS.has(domain)) return `${untagged}@${domain}`;
  return `${untagged.replaceAll(".", "")}@gmail.com`;
}
