import { describeError } from "../log.server";
import type { Middleware } from "../middleware.server";
import type { RequestContext } from "../request-context.server";
import type { ConfigurationProblem } from "../settings/configuration.server";
import { withSecurityHeaders } from "./security-headers.server";

/*
 * Answers that need neither Remix nor a configuration.
 */

type PageFacts = Pick<RequestContext, "url" | "requestId">;

/** Turns whatever the pipeline throws into a plain page with the request id, for when nothing else can be rendered. */
export const catchErrors: Middleware<RequestContext> = async (request, context, next) => {
  try {
    return await next(request, context);
  } catch (error) {
    context.log.error("unexpected", describeError(error));
    return plainPage(500, "Unexpected Application Error", context);
  }
};

/** For a site that cannot run: the health route names what is wrong, a page only says that the service is unavailable. */
export function misconfigured(problems: ConfigurationProblem[], context: PageFacts): Promise<Response> {
  const { url } = context;
  if (url.pathname === "/health") {
    return uncached(Response.json({ status: "error", problems }, { status: 503 }), url);
  }
  return plainPage(503, "Service temporarily unavailable. Please try again later.", context);
}

function plainPage(status: number, message: string, { url, requestId }: PageFacts): Promise<Response> {
  const html = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${message}</title><h1>${message}</h1><p>Request id: ${requestId}</p></html>`;
  return uncached(new Response(html, { status, headers: { "Content-Type": "text/html; charset=utf-8" } }), url);
}

/** Gives a response its headers; nobody keeps it. */
export function uncached(response: Response, url: URL): Promise<Response> {
  response.headers.set("Cache-Control", "no-store");
  return withSecurityHeaders(response, url);
}
