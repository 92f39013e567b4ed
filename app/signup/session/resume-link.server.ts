import { renderSVG } from "uqr";
import type { ResumeLink, SignupSession } from "../steps";
import type { SignupSessions } from "./session.server";

export const RESUME_PARAMETER = "resume";

export async function resumeLink(sessions: SignupSessions, session: SignupSession, page: string): Promise<ResumeLink> {
  const url = new URL(page);
  url.searchParams.set(RESUME_PARAMETER, await sessions.toToken(session));
  const svg = renderSVG(url.href, { ecc: "L", border: 4, pixelSize: 4 });
  return { url: url.href, qrCode: `data:image/svg+xml,${encodeURIComponent(svg)}` };
}
