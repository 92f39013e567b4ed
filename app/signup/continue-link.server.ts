import { renderSVG } from "uqr";
import type { SignupSession, SignupSessions } from "./session.server";

/** The query parameter in which a continue link carries its token. */
export const CONTINUE_PARAMETER = "continue";

/** A way to enter the card on another device: valid for 30 minutes, sealed like the session. */
export interface ContinueLink {
  url: string;
  /** The link as a QR code: an SVG document in a data URL. */
  qrCode: string;
}

export async function continueLink(
  sessions: SignupSessions,
  session: SignupSession,
  page: string,
): Promise<ContinueLink> {
  const url = new URL(page);
  url.searchParams.set(CONTINUE_PARAMETER, await sessions.toToken(session));
  const svg = renderSVG(url.href, { ecc: "L", border: 4, pixelSize: 4 });
  return { url: url.href, qrCode: `data:image/svg+xml,${encodeURIComponent(svg)}` };
}
