import type { AppLoadContext } from "@remix-run/cloudflare";
import { describeError } from "../../shared/describe-error";
import { type ConfigurationProblem, ONLY_THIS_MACHINE } from "../../shared/settings";
import type { RequestContext } from "../context.server";
import { refusalRenderer, UNEXPECTED_ERROR } from "../guard/refusals.server";
import type { Middleware } from "../middleware.server";
import type { RouteMatcher } from "../route-matcher.server";
import { withSecurityHeaders } from "./security-headers.server";

type PageContext = Pick<RequestContext, "url" | "requestId">;

/** Turns any thrown error into a plain page, because React may be unable to render one. */
export const catchErrors: Middleware<RequestContext> = async (request, context, next) => {
  try {
    return await next(request, context);
  } catch (error) {
    context.log.error("unexpected", describeError(error));
    return plainPage(500, "Unexpected Application Error", context);
  }
};

/** Renders the site's error page if Remix could not render the route's. */
export function errorPage(matchRoute: RouteMatcher): Middleware<AppLoadContext> {
  const renderRefusal = refusalRenderer(matchRoute);
  return async (request, context, next) => {
    const response = await next(request, context);
    if (!isRemixFallback(response)) return response;
    const page = await renderRefusal(context, UNEXPECTED_ERROR, next);
    if (isRemixFallback(page)) throw new Error("The error page cannot be rendered");
    return page;
  };
}

/** Remix answers with plain text when the error boundary fails too, for example after an error in the root's loader. */
function isRemixFallback({ status, headers }: Response): boolean {
  return status === 500 && headers.get("Content-Type") === "text/plain";
}

/** A 503; only `/health` lists the problems, as JSON. */
export function misconfigured(problems: ConfigurationProblem[], context: PageContext): Promise<Response> {
  const { url } = context;
  if (url.pathname === "/health") {
    return uncached(Response.json({ status: "error", problems }, { status: 503 }), url);
  }
  return plainPage(503, "Service temporarily unavailable. Please try again later.", context);
}

/** https://www.rfc-editor.org/rfc/rfc9110#name-421-misdirected-request */
export function misdirected(context: PageContext): Promise<Response> {
  return plainPage(421, ONLY_THIS_MACHINE, context);
}

function plainPage(status: number, message: string, { url, requestId }: PageContext): Promise<Response> {
  const html = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${message}</title><h1>${message}</h1><p>Request ID: ${requestId}</p></html>`;
  return uncached(new Response(html, { status, headers: { "Content-Type": "text/html; charset=utf-8" } }), url);
}

/** Sets `Cache-Control: no-store` and the security headers. */
export function uncached(response: Response, url: URL): Promise<Response> {
  response.headers.set("Cache-Control", "no-store");
  return withSecurityHeaders(response, url);
}
