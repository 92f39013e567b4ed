import type { LoaderFunctionArgs } from "@remix-run/cloudflare";
import { inProgress, qrCode, resumeLink } from "../signup/server/session/resume-link.server";

/** The QR code of a resume link. */
export async function loader({ request, context }: LoaderFunctionArgs) {
  const session = inProgress(await context.sessions.read(request));
  const link = session && !session.editing && !session.resumed && (await resumeLink(session, context));
  if (!link || link.qrCodePath === undefined) return new Response(null, { status: 404 });
  const headers = { "Content-Type": "image/svg+xml; charset=utf-8", "Cache-Control": "no-store" };
  return new Response(qrCode(link.url), { headers });
}
