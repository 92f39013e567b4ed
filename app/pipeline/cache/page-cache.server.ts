import type { AppLoadContext, ServerBuild } from "@remix-run/cloudflare";
import { PAID_PLANS, settingOf } from "../../contract/plans";
import { markdownPath } from "../../seo/markdown-path";
import { checkUrl } from "../guard/url-check.server";
import { prefersMarkdown } from "../markdown/markdown.server";
import type { Middleware } from "../middleware.server";
import { type MatchedRoute, publicFiles, publicPaths } from "../route-matcher.server";
import { responseCache } from "./response-cache.server";

/**
 * Renders public pages and files from a plain GET of SITE_URL, so that no visitor's request can poison the cache. The
 * key is the path and the format that Accept asks for. Every other request is passed on.
 *
 * @example
 * const answer = compose([pageCache(build), requestGuard(refusalCache(matchRoute), rules)], remixHandler(build));
 */
export function pageCache(build: ServerBuild): Middleware<AppLoadContext> {
  const files = new Set(publicFiles(build));
  const paths = new Set([...publicPaths(build).flatMap((path) => [path, markdownPath(path)]), ...files]);
  const cache = responseCache();

  const fromCache: Middleware<AppLoadContext> = (request, context, next) => {
    const { url, route, configuration, log, execution } = context;
    const accept = route?.takesForms
      ? "text/html"
      : files.has(url.pathname)
        ? "*/*"
        : prefersMarkdown(request, url.pathname)
          ? "text/markdown"
          : "text/html";
    const render = async () => {
      const plainUrl = new URL(url.pathname, configuration.SITE_URL);
      const plain = new Request(plainUrl, { headers: { Accept: accept } });
      const response = await next(plain, { ...context, url: plainUrl, requestId: "", nonce: "" });
      log.info("page_rendered", { route: url.pathname, format: accept, status: response.status });
      return response;
    };
    // The footer's year changes within an isolate's life, and locally the site's host.
    const key = `${new Date().getUTCFullYear()} ${configuration.SITE_URL} ${accept} ${url.pathname}`;
    const kept = cache.respond(request, key, render, execution);
    return kept instanceof Promise ? kept.then((made) => made ?? next(request, context)) : kept;
  };

  return (request, context, next) => {
    const { url } = context;
    const isPublic = paths.has(url.pathname) && checkUrl(url) === undefined;
    const isCached = isRead(request) && (isPublic || isEmptyForm(request, context));
    return isCached ? fromCache(request, context, next) : next(request, context);
  };
}

/** True for the form of a plan on the price list, or of none, in a browser without a sign-up. */
function isEmptyForm(request: Request, { configuration, route, sessions, url }: AppLoadContext): boolean {
  if (!route?.takesForms || route.isData || url.search !== "" || sessions.isIn(request)) return false;
  const plans = PAID_PLANS.map((plan) => `/subscription/${configuration[settingOf(plan)]}`);
  return ["/subscription", ...plans].includes(url.pathname);
}

/** Gives the form's page a nonce outside the cache, so that two posts of an equal form are one sign-up. */
export const formNonce: Middleware<AppLoadContext> = async (request, context, next) => {
  const response = await next(request, context);
  const { route, sessions } = context;
  const nonce = isRead(request) && route?.takesForms && response.status === 200 && sessions.missingNonce(request);
  if (nonce) response.headers.append("Set-Cookie", nonce);
  return response;
};

/** True for a 200 or 304 without a cookie, of a page without scripts. */
export function mayBeCached({ status, headers }: Response, route: MatchedRoute | undefined): boolean {
  return !route?.hydrates && (status === 200 || status === 304) && !headers.has("Set-Cookie");
}

function isRead({ method }: Request): boolean {
  return method === "GET" || method === "HEAD";
}
