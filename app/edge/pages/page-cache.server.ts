import type { AppLoadContext, ServerBuild } from "@remix-run/cloudflare";
import { markdownPath } from "../../discovery/markdown-path";
import { MAX_URL_LENGTH } from "../guard/request-guard.server";
import { type MatchedRoute, publicPages } from "../guard/route-matcher.server";
import type { Middleware } from "../middleware.server";
import { keptResponses } from "./kept-responses.server";
import { prefersMarkdown } from "./markdown.server";

/**
 * Serves the public pages, as HTML and as Markdown, from the isolate's memory after their first time. A page is rendered
 * for a plain GET of its path at the site's own URL: nothing of a visitor's request enters what is kept.
 */
export function pageCache(build: ServerBuild): Middleware<AppLoadContext> {
  const paths = new Set(publicPages(build).flatMap((path) => [path, markdownPath(path)]));
  const kept = keptResponses();
  return async (request, context, next) => {
    const { url, configuration, log, execution } = context;
    const isCached = isRead(request) && paths.has(url.pathname) && !mayBeRefused(request, url);
    if (!isCached) return next(request, context);

    const accept = prefersMarkdown(request) ? "text/markdown" : "text/html";
    const render = async () => {
      const plainUrl = new URL(url.pathname, configuration.SITE_URL);
      const plain = new Request(plainUrl, { headers: { Accept: accept } });
      const response = await next(plain, { ...context, url: plainUrl, requestId: "" });
      log.info("page_rendered", { route: url.pathname, format: accept, status: response.status });
      return response;
    };
    // An isolate runs one release with one configuration: what else a page depends on is the year in its footer.
    const key = `${new Date().getUTCFullYear()} ${accept} ${url.pathname}`;
    return (await kept.respond(request, key, render, execution)) ?? next(request, context);
  };
}

/** Whether anyone may keep a response: none with a visitor's data, no cookie, no failure. */
export function mayBeCached({ status, headers }: Response, route: MatchedRoute | undefined): boolean {
  return !route?.hydrates && (status === 200 || status === 304) && !headers.has("Set-Cookie");
}

function isRead({ method }: Request): boolean {
  return method === "GET" || method === "HEAD";
}

/** Whether the guard has a reason to refuse the URL. A name is looked for only in a query that has its letters. */
function mayBeRefused({ url }: Request, parsed: URL): boolean {
  return url.length > MAX_URL_LENGTH || (url.includes("_data") && parsed.searchParams.has("_data"));
}
