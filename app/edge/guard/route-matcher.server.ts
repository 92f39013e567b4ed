import type { ServerBuild } from "@remix-run/cloudflare";
import { matchRoutes, type Params } from "@remix-run/react";
import { hydrates } from "../../ui/hydration";

type RouteObject = NonNullable<ReturnType<typeof matchRoutes>>[number]["route"];

/** The route that answers a path, as far as the edge needs it. */
export interface MatchedRoute {
  /** Such as `/subscription/:id?`: what a log may hold of a path. */
  pattern: string;
  params: Params;
  /** Whether the page runs the framework's script: such pages take a visitor's data and are kept in no cache. */
  hydrates: boolean;
  /** Whether the route has an action; everything else is read only. */
  takesForms: boolean;
  /** Whether it is the route's data that is asked for, as only the site's own scripts do. */
  isData: boolean;
  /** The path of the page, also where its data is asked for. */
  pagePath: string;
}

/** Finds the route of a path; undefined when no route can have it. */
export type RouteMatcher = (pathname: string) => MatchedRoute | undefined;

const MAX_PATH_LENGTH = 2048;

/**
 * Matches paths with the build's own routes by Remix's own function, so that the edge and Remix never differ about what
 * `/Subscription/` or `/%73ubscription` is.
 */
export function routeMatcher(build: ServerBuild): RouteMatcher {
  const routes = routesUnder(build, undefined);
  /** Paths that are their route's pattern to the letter: few, and asked for most. */
  const fixed = new Map<string, MatchedRoute>();
  return (pathname) => {
    const known = fixed.get(pathname);
    if (known) return known;
    if (!isSane(pathname)) return undefined;
    const isData = pathname.endsWith(".data");
    // As Remix's single fetch names the data of a page.
    const page = isData ? pathname.replace(/\.data$/, "").replace(/^\/_root$/, "/") : pathname;
    const matches = matchRoutes(routes, page);
    // Not even the route for everything else has a path with a line separator (U+2028) in it.
    if (!matches) return undefined;
    const modules = matches.map(({ route }) => (route.id ? build.routes[route.id]?.module : undefined));
    const matched = {
      params: matches.at(-1)?.params ?? {},
      pattern: `/${matches.flatMap(({ route }) => route.path || []).join("/")}`,
      hydrates: modules.some((module) => hydrates(module?.handle)),
      takesForms: modules.at(-1)?.action !== undefined,
      isData,
      pagePath: page,
    };
    if (matched.pattern.replace(/\/:\w+\?/g, "") === pathname) fixed.set(pathname, matched);
    return matched;
  };
}

/** The paths of the pages that are the same for everyone: no parameter in the path, nothing of a visitor on them. */
export function publicPages(build: ServerBuild): string[] {
  return Object.values(build.routes).flatMap((route) => {
    const isPage = route?.module.default !== undefined && route.parentId === "root" && !hydrates(route.module.handle);
    if (!isPage || /[:*]/.test(route.path ?? "")) return [];
    return `/${route.path ?? ""}`;
  });
}

function routesUnder(build: ServerBuild, parentId: string | undefined): RouteObject[] {
  return Object.values(build.routes).flatMap((route) => {
    if (!route || route.parentId !== parentId) return [];
    const { id, path, caseSensitive } = route;
    return route.index
      ? { id, path, caseSensitive, index: true }
      : { id, path, caseSensitive, children: routesUnder(build, id) };
  });
}

/** Paths that decode, hide no separator or control character, and cannot be read as another host. */
function isSane(pathname: string): boolean {
  if (pathname.length > MAX_PATH_LENGTH || pathname.startsWith("//") || /%2f|%5c/i.test(pathname)) return false;
  try {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be in a path
    return !/[\u0000-\u001f\u007f\\]|^\/\//.test(decodeURIComponent(pathname));
  } catch {
    return false;
  }
}
