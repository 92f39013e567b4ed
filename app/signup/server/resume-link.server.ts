import { encode } from "uqr";
import { signUpPath } from "../../contract/sign-up-path";
import type { PendingSignUp } from "../sign-up-state";
import { sealedTokens } from "./sealed-token.server";

/** The page's text also says 30 minutes. */
const LINK_MINUTES = 30;
const MINUTE_MS = 60_000;

/** Longer links make QR codes too dense for an old phone's camera. */
const MAX_QR_CODE_LENGTH = 300;
export const QR_CODE_PATH = "/resume-code";

/** Tokens of the links that continue a sign-up on another device, for 30 minutes. */
export interface ResumeLinks {
  /** Undefined for a client secret that is not Stripe's. */
  toToken(signUp: PendingSignUp): Promise<string | undefined>;
  /** Undefined for a token that was changed or has expired. */
  fromToken(token: string, packageId: string): Promise<PendingSignUp | undefined>;
}

/** For short tokens, only the variable parts of a client secret are kept: https://docs.stripe.com/api/setup_intents */
const CLIENT_SECRET = /^seti_(\w+)_secret_(\w+)$/;

export function resumeLinks(secrets: readonly string[], apiUrl: string): ResumeLinks {
  /** Each plan's tokens have their own key, because the plan is in the link's path. */
  const tokensOf = (packageId: string) => sealedTokens(secrets, `resume-link ${packageId.toLowerCase()}`);
  const statusPath = `${apiUrl}/subscription/status/`;

  return {
    async toToken({ key, packageId, priceCents, clientSecret, statusUrl = "", expiresAt }) {
      const [, id, secret] = CLIENT_SECRET.exec(clientSecret) ?? [];
      if (id === undefined || secret === undefined) return undefined;
      const status = statusUrl.startsWith(statusPath) ? statusUrl.slice(statusPath.length) : statusUrl;
      const end = Math.floor(expiresAt / MINUTE_MS);
      const linkEnd = Math.min(Math.floor(Date.now() / MINUTE_MS) + LINK_MINUTES, end);
      const parts = [key, id, secret, status, end.toString(36), (end - linkEnd).toString(36)];
      if (priceCents !== undefined) parts.push(priceCents.toString(36));
      return tokensOf(packageId).seal(parts.join(" "));
    },
    async fromToken(token, packageId) {
      const text = await tokensOf(packageId).open(token);
      if (text === undefined) return undefined;
      const [key = "", id, secret, status = "", end = "", left = "", cents] = text.split(" ");
      const expiresAt = Number.parseInt(end, 36) * MINUTE_MS;
      if (Date.now() >= expiresAt - Number.parseInt(left, 36) * MINUTE_MS) return undefined;
      const statusUrl = status.includes("/") || status === "" ? status : statusPath + status;
      return {
        key,
        packageId,
        priceCents: cents === undefined ? undefined : Number.parseInt(cents, 36),
        expiresAt,
        clientSecret: `seti_${id}_secret_${secret}`,
        statusUrl: statusUrl || undefined,
      };
    },
  };
}

/** The link as text and, if it is short enough, the path of its QR code. */
export async function resumeLink(signUp: PendingSignUp, links: ResumeLinks, siteUrl: string) {
  const whole = await links.toToken(signUp);
  if (whole === undefined) return undefined;
  const urlOf = (token: string) => `${siteUrl}${signUpPath(signUp.packageId)}?resume=${token}`;
  if (urlOf(whole).length <= MAX_QR_CODE_LENGTH) return { url: urlOf(whole), qrCodePath: QR_CODE_PATH };
  // Leave out the price so that a QR code fits. The other device then shows the list price.
  const short = await links.toToken({ ...signUp, priceCents: undefined });
  if (short !== undefined && urlOf(short).length <= MAX_QR_CODE_LENGTH)
    return { url: urlOf(short), qrCodePath: QR_CODE_PATH };
  return { url: urlOf(whole), qrCodePath: undefined };
}

/** Draws an SVG with one path, in which each run of dots in a row is a line. The border is the quiet zone of ISO/IEC 18004. */
export function qrCode(text: string): string {
  const { data, size } = encode(text, { ecc: "L", border: 4 });
  const lines = data.flatMap((row, y) => {
    const dots = row.map((isDark) => (isDark ? "#" : " ")).join("");
    return [...dots.matchAll(/#+/g)].map(({ 0: line, index }) => `M${index} ${y}h${line.length}`);
  });
  const box = `viewBox="0 -.5 ${size} ${size}" shape-rendering="crispEdges"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${box}><path stroke="#000" d="${lines.join("")}"/></svg>`;
}
