import type { AppLoadContext } from "@remix-run/cloudflare";
import { refusalRenderer, UNEXPECTED_ERROR } from "../guard/refusals.server";
import type { RouteMatcher } from "../guard/route-matcher.server";
import type { Middleware } from "../middleware.server";

/** Renders the site's error page where Remix could not render that of the route, as after a loader of the root throws. */
export function errorPage(matchRoute: RouteMatcher): Middleware<AppLoadContext> {
  const renderRefusal = refusalRenderer(matchRoute);
  return async (request, context, next) => {
    const response = await next(request, context);
    if (!isLastResort(response)) return response;
    const page = await renderRefusal(context, UNEXPECTED_ERROR, next);
    if (isLastResort(page)) throw new Error("The error page cannot be rendered");
    return page;
  };
}

/** What Remix answers when its error boundary failed too: one line of text. */
function isLastResort({ status, headers }: Response): boolean {
  return status === 500 && headers.get("Content-Type") === "text/plain";
}
