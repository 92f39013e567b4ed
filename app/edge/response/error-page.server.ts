import type { AppLoadContext } from "@remix-run/cloudflare";
import { refusalRenderer, UNEXPECTED_ERROR } from "../guard/refusals.server";
import type { RouteMatcher } from "../guard/route-matcher.server";
import type { Middleware } from "../middleware.server";

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

/** When its error boundary fails too, as after an error in the root's loader, Remix answers with plain text. */
function isRemixFallback({ status, headers }: Response): boolean {
  return status === 500 && headers.get("Content-Type") === "text/plain";
}
