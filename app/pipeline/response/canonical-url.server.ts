import type { AppLoadContext, ServerBuild } from "@remix-run/cloudflare";
import { markdownPath } from "../../seo/markdown-path";
import { checkUrl } from "../guard/url-check.server";
import type { Middleware } from "../middleware.server";
import { isPlausibleParameter, publicPaths, type RouteMatcher } from "../route-matcher.server";
import { uncached } from "./fallbacks.server";

/** Enough for the longest path of the site with every character escaped. */
const MAX_SPELLING_LENGTH = 400;

/**
 * Redirects other spellings of a path, such as `/PRICING`, `//pricing/` or `/%70ricing`. Every target is a path of the site,
 * so none leads to another host. Keeps the query for the sign-up only, since no other page reads it.
 */
export function redirectToCanonicalUrl(build: ServerBuild, matchRoute: RouteMatcher): Middleware<AppLoadContext> {
  const canonicalPath = canonicalPaths(build);
  return (request, context, next) => {
    const { url } = context;
    if (request.method !== "GET" && request.method !== "HEAD") return next(request, context);
    const path = canonicalPath(url.pathname);
    if (path === undefined || path === url.pathname || checkUrl(url)) return next(request, context);
    const query = matchRoute(path)?.hydrates ? url.search : "";
    return uncached(new Response(null, { status: 308, headers: { Location: path + query } }), url);
  };
}

/** The canonical path of a spelling, or undefined for an unknown page. A parameter keeps its case. */
export function canonicalPaths(build: ServerBuild): (pathname: string) => string | undefined {
  const patterns = Object.values(build.routes).flatMap((route) =>
    route?.parentId === "root" && route.path && route.path !== "*" ? `/${route.path}` : [],
  );
  const paths = new Set([
    ...publicPaths(build).map(markdownPath),
    ...patterns.map((pattern) => pattern.split("/:")[0]),
  ]);
  const withParameter = new Set(
    patterns.filter((pattern) => pattern.includes("/:")).map((path) => path.split("/:")[0]),
  );

  return (pathname) => {
    if (pathname.length > MAX_SPELLING_LENGTH) return undefined;
    const [name = "", parameter, ...rest] = pathname.split("/").filter(Boolean);
    const path = `/${decoded(name).toLowerCase()}`;
    if (parameter === undefined) return paths.has(path) ? path : undefined;
    const isKnown = rest.length === 0 && withParameter.has(path) && isPlausibleParameter(parameter);
    return isKnown ? `${path}/${parameter}` : undefined;
  };
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
