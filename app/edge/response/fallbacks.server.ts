import type { ConfigurationProblem } from "../settings/configuration.server";

/*
 * Answers that need neither Remix nor a configuration.
 */

/** The same address with TLS. A form that came without it is not taken: it would have to be filled in again there. */
export function overTls(method: string, url: URL): Response {
  const secure = new URL(url);
  secure.protocol = "https:";
  const isRead = method === "GET" || method === "HEAD";
  return new Response(null, { status: isRead ? 301 : 303, headers: { Location: secure.href } });
}

/** For a site that cannot run: the health route names what is wrong, a page only that the service is unavailable. */
export function misconfigured(pathname: string, problems: ConfigurationProblem[], requestId: string): Response {
  if (pathname === "/health") return Response.json({ status: "error", problems }, { status: 503 });
  return plainPage(503, "Service temporarily unavailable. Please try again later.", requestId);
}

/** A page for when nothing else can be rendered. */
export function failedPage(requestId: string): Response {
  return plainPage(500, "Unexpected Application Error", requestId);
}

function plainPage(status: number, message: string, requestId: string): Response {
  const html = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${message}</title><h1>${message}</h1><p>Request id: ${requestId}</p></html>`;
  return new Response(html, { status, headers: { "Content-Type": "text/html; charset=utf-8" } });
}
