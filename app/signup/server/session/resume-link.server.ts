import type { AppLoadContext } from "@remix-run/cloudflare";
import { encode } from "uqr";
import type { CardSession, ResumeLink, ResumeStepData } from "../../steps";
import { RETURN_TOKEN } from "./return-url.server";
import { type FoundSession, RESUME_MS } from "./session.server";

const RESUME_PARAMETER = "resume";
export const QR_CODE_PATH = "/resume-code";

/** Longer links need a QR code with more dots than a phone's camera tells apart on a screen. */
const MAX_QR_CODE_LENGTH = 1300;

export async function resumeLink(session: CardSession, context: AppLoadContext): Promise<ResumeLink> {
  const { sessions, configuration } = context;
  const { packageId } = session.account ?? {};
  const url = new URL(packageId ? `/subscription/${packageId}` : "/subscription", configuration.SITE_URL);
  url.searchParams.set(RESUME_PARAMETER, await sessions.toLinkToken(session));
  return { url: url.href, qrCodePath: url.href.length <= MAX_QR_CODE_LENGTH ? QR_CODE_PATH : undefined };
}

/** An SVG document of one path, with a row of dots as one line in it. */
export function qrCode(text: string): string {
  const { data, size } = encode(text, { ecc: "L", border: 4 });
  const lines = data.flatMap((row, y) => {
    const dots = row.map((isDark) => (isDark ? "#" : " ")).join("");
    return [...dots.matchAll(/#+/g)].map(({ 0: line, index }) => `M${index} ${y}h${line.length}`);
  });
  const box = `viewBox="0 -.5 ${size} ${size}" shape-rendering="crispEdges"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${box}><path stroke="#000" d="${lines.join("")}"/></svg>`;
}

/** A resume link, or a return URL that has to ask as one; `signUp` is missing once it has expired. */
export async function linkedSignUp({
  sessions,
  url,
}: AppLoadContext): Promise<{ signUp: CardSession | undefined } | undefined> {
  const link = url.searchParams.get(RESUME_PARAMETER);
  if (link !== null) return { signUp: await sessions.fromLinkToken(link) };
  const returned = url.searchParams.get(RETURN_TOKEN);
  return returned === null ? undefined : { signUp: await sessions.fromReturnToken(returned, RESUME_MS) };
}

/** What a link shows before a post takes its sign-up over. */
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
