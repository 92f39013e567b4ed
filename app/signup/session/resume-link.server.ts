import { renderSVG } from "uqr";
import type { ContinueLink, SignupSession } from "../steps";
import type { SignupSessions } from "./session.server";

/** The query parameter in which a continue link carries its token. */
export const CONTINUE_PARAMETER = "continue";

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
