import { MINUTE_MS } from "../../../contract/dates";
import { signUpPath } from "../../../contract/sign-up-path";
import { LINK_MINUTES } from "../../durations";
import type { UnfinishedSession } from "../../session-state";
import { MAX_QR_CODE_LENGTH, QR_CODE_PATH } from "./qr-code.server";
import { sealedTokens } from "./sealed-token.server";

export interface ResumeLinks {
  /** Undefined for a client secret that is not Stripe's. */
  toToken(session: UnfinishedSession): Promise<string | undefined>;
  /** Undefined for a token that was changed, has expired or is another plan's. */
  fromToken(token: string, packageId: string): Promise<UnfinishedSession | undefined>;
}

/** For short tokens, only the variable parts of a client secret are kept: https://docs.stripe.com/api/setup_intents */
const CLIENT_SECRET = /^seti_(\w+)_secret_(\w+)$/;
export function resumeLinks(secrets: readonly string[], apiUrl: string): ResumeLinks {
  /** Each plan's tokens have their own key, because the plan is in the link's path. */
  const tokensOf = (packageId: string) => sealedTokens(secrets, `resume-link ${packageId.toLowerCase()}`);
  const statusPath = `${apiUrl}/subscription/status/`;

  return {
    async toToken({ key, packageId, terms, clientSecret, statusUrl = "", expiresAt }) {
      const [, id, secret] = CLIENT_SECRET.exec(clientSecret) ?? [];
      if (id === undefined || secret === undefined) return undefined;
      const status = statusUrl.startsWith(statusPath) ? statusUrl.slice(statusPath.length) : statusUrl;
      const end = Math.floor(expiresAt / MINUTE_MS);
      const linkEnd = Math.min(Math.floor(Date.now() / MINUTE_MS) + LINK_MINUTES, end);
      const { price_cents, tax_added, trial_days } = terms;
      // The last bit is the tax.
      const trial = 2 * trial_days + Number(tax_added);
      const parts = [key, id, secret, status, ...[end, end - linkEnd, trial].map((one) => one.toString(36))];
      if (price_cents !== undefined) parts.push(price_cents.toString(36));
      return tokensOf(packageId).seal(parts.join(" "));
    },
    async fromToken(token, packageId) {
      const text = await tokensOf(packageId).open(token);
      if (text === undefined) return undefined;
      const [key = "", id, secret, status = "", end = "", left = "", trial = "", cents] = text.split(" ");
      const expiresAt = Number.parseInt(end, 36) * MINUTE_MS;
      if (Date.now() >= expiresAt - Number.parseInt(left, 36) * MINUTE_MS) return undefined;
      const statusUrl = status.includes("/") || status === "" ? status : statusPath + status;
      return {
        key,
        packageId,
        terms: {
          price_cents: cents === undefined ? undefined : Number.parseInt(cents, 36),
          tax_added: Number.parseInt(trial, 36) % 2 === 1,
          trial_days: Math.floor(Number.parseInt(trial, 36) / 2),
        },
        expiresAt,
        clientSecret: `seti_${id}_secret_${secret}`,
        statusUrl: statusUrl || undefined,
      };
    },
  };
}

export async function resumeLink(session: UnfinishedSession, links: ResumeLinks, siteUrl: string) {
  const whole = await links.toToken(session);
  if (whole === undefined) return undefined;
  const urlOf = (token: string) => `${siteUrl}${signUpPath(session.packageId)}?resume=${token}`;
  if (urlOf(whole).length <= MAX_QR_CODE_LENGTH) return { url: urlOf(whole), qrCodePath: QR_CODE_PATH };
  // Leave out the price so that a QR code fits. The other device asks the API for it.
  const short = await links.toToken({ ...session, terms: { ...session.terms, price_cents: undefined } });
  if (short !== undefined && urlOf(short).length <= MAX_QR_CODE_LENGTH)
    return { url: urlOf(short), qrCodePath: QR_CODE_PATH };
  return { url: urlOf(whole), qrCodePath: undefined };
}
