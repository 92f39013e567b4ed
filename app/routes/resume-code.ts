import type { LoaderFunctionArgs } from "@remix-run/cloudflare";
import { qrCode } from "../signup/server/session/qr-code.server";
import { resumeLink } from "../signup/server/session/resume-link.server";

export async function loader({ request, context }: LoaderFunctionArgs) {
  const { configuration, resumeLinks, sessions } = context;
  const current = await sessions.read(request);
  const hasLink = current.state === "card" && current.details !== undefined;
  const link = hasLink ? await resumeLink(current, resumeLinks, configuration.SITE_URL) : undefined;
  if (link?.qrCodePath === undefined) return new Response(null, { status: 404 });
  const headers = { "Content-Type": "image/svg+xml; charset=utf-8", "Cache-Control": "no-store" };
  return new Response(qrCode(link.url), { headers });
}
