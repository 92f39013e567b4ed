import { createHmac } from "node:crypto";
import type { TrialConfig } from "../config";

export type TrialHashes = ReturnType<typeof trialHashes>;

/** Hashes that give an address's trial back, once. */
export type SecondTrial = {
  /** The address's claims, which are released: both kinds, because ONE_TRIAL_PER_PERSON may have changed since. */
  released: string[];
  /** Claimed forever in their place, so that an address gets a second trial only once. */
  claimed: string[];
};

/** Keyed hashes that claim a trial (table `trial_claims`). ONE_TRIAL_PER_PERSON adds the mailbox and the card. */
export function trialHashes({ hashSecret, onePerPerson }: TrialConfig) {
  const hash = (kind: string, value: string) => keyedHash(hashSecret, kind, value);
  return {
    ofEmail(email: string): string[] {
      const address = hash("email", email);
      return onePerPerson ? [address, hash("mailbox", mailboxOf(email))] : [address];
    },

    /** Null if cards do not count or Stripe has no fingerprint for this card. */
    ofCard(fingerprint: string | null): string | null {
      return onePerPerson && fingerprint !== null ? hash("card", fingerprint) : null;
    },

    secondTrialOf(email: string): SecondTrial {
      const mailbox = mailboxOf(email);
      const address = hash("freed-email", email);
      return {
        released: [hash("email", email), hash("mailbox", mailbox)],
        claimed: onePerPerson ? [address, hash("freed-mailbox", mailbox)] : [address],
      };
    },
  };
}

/** HMAC-SHA-256 in Base64url. Equal only for the same parts in the same order. */
function keyedHash(secret: string, ...parts: string[]): string {
  return createHmac("sha256", secret).update(JSON.stringify(parts)).digest("base64url");
}

/** Providers that ignore dots in the local part: https://support.google.com/mail/answer/7436150 */
const IGNORES_DOTS = new Set(["gmail.com", "googlemail.com"]);

/** Drops the plus tag (RFC 5233) and the dots that the provider ignores. Only for comparing addresses. */
function mailboxOf(email: string): string {
  const at = email.lastIndexOf("@");
  const domain = email.slice(at + 1);
  const untagged = email.slice(0, at).replace(/(?<=.)\+.*$/, "");
  if (!IGNORES_DOTS.has(domain)) return `${untagged}@${domain}`;
  return `${untagged.replaceAll(".", "")}@gmail.com`;
}
