import type { AppLoadContext } from "@remix-run/cloudflare";
import { encode } from "uqr";
import type { CardSession, ResumeLink, ResumeStepData } from "../../steps";
import { RETURN_TOKEN } from "./return-url.server";
import { type FoundSession, RESUME_MS } from "./session.server";

const RESUME_PARAMETER = "resume";
export const QR_CODE_PATH = "/resume-code";

/** Longer links make QR codes too dense for a phone's camera. */
const MAX_QR_CODE_LENGTH = 1300;

export async function resumeLink(session: CardSession, context: AppLoadContext): Promise<ResumeLink> {
  const { sessions, configuration } = context;
  const { packageId } = session.account ?? {};
  const url = new URL(packageId ? `/subscription/${packageId}` : "/subscription", configuration.SITE_URL);
  url.searchParams.set(RESUME_PARAMETER, await sessions.toLinkToken(session));
  return { url: url.href, qrCodePath: url.href.length <= MAX_QR_CODE_LENGTH ? QR_CODE_PATH : undefined };
}

/** An SVG document with one path; each run of dots in a row is a line. */
export function qrCode(text: string): string {
  const { data, size } = encode(text, { ecc: "L", border: 4 });
  const lines = data.flatMap((row, y) => {
    const dots = row.map((isDark) => (isDark ? "#" : " ")).join("");
    return [...dots.matchAll(/#+/g)].map(({ 0: line, index }) => `M${index} ${y}h${line.length}`);
  });
  const box = `viewBox="0 -.5 ${size} ${size}" shape-rendering="crispEdges"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${box}><path stroke="#000" d="${lines.join("")}"/></svg>`;
}

/** The sign-up of a resume link, or of a return URL that needs the same question; `signUp` is undefined once it has expired. */
export async function linkedSignUp({
  sessions,
  url,
}: AppLoadContext): Promise<{ signUp: CardSession | undefined } | undefined> {
  const link = url.searchParams.get(RESUME_PARAMETER);
  if (link !== null) return { signUp: await sessions.fromLinkToken(link) };
  const returned = url.searchParams.get(RETURN_TOKEN);
  return returned === null ? undefined : { signUp: await sessions.fromReturnToken(returned, RESUME_MS) };
}

/** The step that a link shows; only a post continues its sign-up. */
export function resumeStep(
  linked: CardSession | undefined,
  found: FoundSession,
  packageId: string,
): ResumeStepData | "here already" {
  if (!linked) return { step: "resume", state: "ended", packageId };
  const here = inProgress(found);
  if (here?.clientSecret === linked.clientSecret && !here.editing) return "here already";
  return {
    step: "resume",
    state: here && here.clientSecret !== linked.clientSecret ? "busy" : "ready",
    packageId,
    company: linked.account?.companyName,
    email: linked.account && masked(linked.account.email),
  };
}

/** A link never replaces a sign-up in progress. */
export function inProgress(found: FoundSession): CardSession | undefined {
  const session = found.status === "open" && found.session.step === "card" ? found.session : undefined;
  return session?.ended ? undefined : session;
}

function masked(email: string): string {
  return `${email.charAt(0)}…${email.slice(email.lastIndexOf("@"))}`;
}
