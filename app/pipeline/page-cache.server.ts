import type { Context, MiddlewareHandler } from "hono";
import { etag } from "hono/etag";
import { uint8ArrayToHex } from "uint8array-extras";
import { PAID_PLANS } from "../contract/plans";
import { type RenderPage, type SiteEnv, siteContext } from "./context.server";
import type { Refusal } from "./guard/refusals.server";
import { isGetOrHead } from "./is-get-or-head.server";
import { prefersMarkdown } from "./markdown.server";
import { isHtml } from "./response/is-html.server";
import { allowByHash } from "./response/security-headers.server";
import type { MatchedRoute, RouteMatcher } from "./routes.server";

interface CachedPage {
  body: ArrayBuffer;
  status: number;
  headers: Headers;
  /** Answers 304. Public pages only: a browser must not show the empty form from its cache in place of the card step. */
  revalidate?: MiddlewareHandler;
}

/** Set outside the cache, because cached pages must not have cookies. */
export const formCookie: MiddlewareHandler<SiteEnv> = async (c, next) => {
  await next();
  const route = c.get("route");
  if (!route?.takesForms || !isGetOrHead(c.req.method) || c.res.status !== 200 || c.res.headers.has("Set-Cookie"))
    return;
  const cookie = c.get("app").formCookie(c.req.raw);
  if (cookie !== undefined) c.res.headers.set("Set-Cookie", cookie);
};

// Caches pages and refusals in memory. They are rendered from a plain GET of SITE_URL, so that no visitor's request is in
// them or can poison the cache.
export function pageCache(renderPage: RenderPage, matchRoute: RouteMatcher) {
  const cached = new Map<string, CachedPage>();

  async function find(c: Context<SiteEnv>, path: string, accept: string, refusal?: Refusal) {
    const { SITE_URL } = c.get("configuration");
    const status = refusal?.status ?? 200;
    // Within an isolate's life the footer's year can change, and in local development the site's host.
    const key = `${status} ${accept} ${new Date().getUTCFullYear()} ${SITE_URL}${path}`;
    const known = cached.get(key);
    if (known) return known;
    const page = await render(c, path, accept, refusal);
    if (page.status !== status || page.headers.has("Set-Cookie")) return undefined;
    cached.set(key, page);
    return page;
  }

  async function render(c: Context<SiteEnv>, path: string, accept: string, refusal?: Refusal): Promise<CachedPage> {
    const { configuration, log } = c.var;
    const url = new URL(path, configuration.SITE_URL);
    const route = matchRoute(path);
    const context = siteContext(c, { url, route, requestId: "", ip: null, refusal });
    const response = await renderPage(new Request(url, { headers: { Accept: accept } }), context);
    log.info("page_rendered", { route: route?.pattern ?? path, format: accept, status: response.status });
    const page = isHtml(response) ? await allowByHash(response, context) : response;
    const body = await page.arrayBuffer();
    const headers = new Headers(page.headers);
    if (!route?.isPublic || page.status !== 200) return { body, status: page.status, headers };
    headers.set("ETag", `"${uint8ArrayToHex(new Uint8Array(await crypto.subtle.digest("SHA-256", body), 0, 12))}"`);
    // Browsers revalidate on each visit, so a release is visible at once.
    headers.set("Cache-Control", "public, max-age=0, must-revalidate");
    // Hono takes the ETag that is set.
    return { body, status: page.status, headers, revalidate: etag({ retainedHeaders: [...headers.keys()] }) };
  }

  /** Undefined if the response depends on more than path and format; so the number of cached responses is bounded. */
  function cacheableRoute(c: Context<SiteEnv>): MatchedRoute | undefined {
    const route = c.get("route");
    if (!route || !isGetOrHead(c.req.method)) return undefined;
    if (route.isPublic) return route;
    const { id } = route.params;
    const isPlan = id === undefined || PAID_PLANS.some(({ packageId }) => packageId === id);
    const isForm = route.takesForms && !route.isData && c.get("url").search === "" && isPlan;
    return isForm && c.get("app").isFormEmpty(c.req.raw) ? route : undefined;
  }

  const respond: MiddlewareHandler<SiteEnv> = async (c, next) => {
    const route = cacheableRoute(c);
    const page = route && (await find(c, route.pagePath, formatOf(c, route)));
    if (!page) return next();
    const send = async () => {
      c.res = responseOf(page);
    };
    return page.revalidate ? page.revalidate(c, send) : send();
  };

  async function refusalPage(c: Context<SiteEnv>, refusal: Refusal): Promise<Response | undefined> {
    const page = await find(c, `/${refusal.status}`, formatOf(c), refusal);
    return page && responseOf(page);
  }

  return { respond, refusalPage };
}

function responseOf({ body, status, headers }: CachedPage): Response {
  return new Response(body, { status, headers });
}

function formatOf(c: Context<SiteEnv>, route?: MatchedRoute): string {
  if (route?.hydrates) return "text/html";
  return prefersMarkdown(c.req.raw, c.get("url").pathname) ? "text/markdown" : "text/html";
}
