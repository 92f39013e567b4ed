import type { MiddlewareHandler } from "hono";
import type { SiteEnv } from "../context.server";
import { isGetOrHead } from "../is-get-or-head.server";
import type { RouteMatcher } from "../routes.server";

/** Redirects to https. A form posted over http is not accepted: the visitor has to fill it in again. */
export const redirectToTls: MiddlewareHandler<SiteEnv> = async (c, next) => {
  const url = c.get("url");
  if (!c.get("configuration").SITE_URL.startsWith("https:") || url.protocol !== "http:") return next();
  const secure = new URL(url);
  secure.protocol = "https:";
  return c.redirect(secure.href, isGetOrHead(c.req.method) ? 301 : 303);
};

/** Redirects `/PRICING` and `/pricing/` to `/pricing`. Only to known routes, so none can lead to another host. */
export function redirectToCanonicalUrl(matchRoute: RouteMatcher): MiddlewareHandler<SiteEnv> {
  return async (c, next) => {
    const { pathname, search } = c.get("url");
    const path = pathname.toLowerCase().replace(/(?<=[^/])\/$/, "");
    if (path === pathname || !isGetOrHead(c.req.method) || !matchRoute(path)) return next();
    return c.redirect(path + search, 308);
  };
}
