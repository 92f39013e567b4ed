import type { ServerBuild } from "@remix-run/cloudflare";
import { matchRoutes, type Params } from "@remix-run/react";
import { markdownPath } from "../seo/markdown-path";
import { hydrates } from "../ui/document/hydration";

type RouteObject = NonNullable<ReturnType<typeof matchRoutes>>[number]["route"];

export interface MatchedRoute {
  id: string;
  /** For example `/subscription/:id?`; logged in place of the path. */
  pattern: string;
  params: Params;
  hydrates: boolean;
  takesForms: boolean;
  isData: boolean;
  pagePath: string;
}

export type RouteMatcher = (pathname: string) => MatchedRoute | undefined;

const MAX_PATH_LENGTH = 2048;
const MAX_PARAMETER_LENGTH = 100;

/** Pattern of the route for all other paths. */
export const CATCH_ALL = "/*";

/** A name and at most one parameter, in characters with a single spelling. */
const PLAIN_PATH = /^\/([\w-]+)(?:\/([\w-]+))?$/;

/** Matches the path of a page, its data or its Markdown. Undefined for an invalid path. */
export function routeMatcher(build: ServerBuild): RouteMatcher {
  const matchPage = pageMatcher(build);
  const staticRoutes = new Map<string, MatchedRoute>();
  const pageOfMarkdown = new Map(publicPaths(build).map((path) => [markdownPath(path), path]));
  return (pathname) => {
    const known = staticRoutes.get(pathname);
    if (known) return known;
    if (!isValidPath(pathname)) return undefined;
    const isData = pathname.endsWith(".data");
    // Single fetch requests `/pricing.data`, and `/_root.data` for the home page.
    const pagePath = isData
      ? pathname.replace(/\.data$/, "").replace(/^\/_root$/, "/")
      : (pageOfMarkdown.get(pathname) ?? pathname);
    const page = matchPage(pagePath);
    if (!page) return undefined;
    const matched = { ...page, isData, pagePath };
    if (matched.pattern.replace(/\/:\w+\?/g, "") === pathname || pageOfMarkdown.has(pathname))
      staticRoutes.set(pathname, matched);
    return matched;
  };
}

type MatchedPage = Omit<MatchedRoute, "isData" | "pagePath">;

/**
 * Uses Remix's own function, so that both agree on paths such as `/Subscription/` or `/%73ubscription`. The result for a plain
 * path is cached by its first segment, unless a route has a second name or child routes.
 */
function pageMatcher(build: ServerBuild): (path: string) => MatchedPage | undefined {
  const routes = childRoutes(build, undefined);
  const pages = routes.flatMap(({ children = [] }) => children);
  const names = firstSegments(pages);
  const deepNames = firstSegments(pages.filter(({ path = "", children }) => children?.length || /\/[^:]/.test(path)));
  const kept = new Map<string, MatchedPage>();

  function match(path: string): MatchedPage | undefined {
    const matches = matchRoutes(routes, path);
    if (!matches) return undefined;
    const modules = matches.map(({ route }) => (route.id ? build.routes[route.id]?.module : undefined));
    return {
      id: matches.at(-1)?.route.id ?? "root",
      params: matches.at(-1)?.params ?? {},
      pattern: `/${matches.flatMap(({ route }) => route.path || []).join("/")}`,
      hydrates: modules.some((module) => hydrates(module?.handle)),
      takesForms: modules.at(-1)?.action !== undefined,
    };
  }

  return (path) => {
    const [, name = "", parameter] = PLAIN_PATH.exec(path) ?? [];
    const isOtherSpelling = !names.has(name) && names.has(name.toLowerCase());
    if (name === "" || isOtherSpelling || deepNames.has(name)) return match(path);
    const kind = `${names.has(name) ? name : "unknown"}${parameter === undefined ? "" : "/parameter"}`;
    let page = kept.get(kind);
    if (page === undefined) {
      page = match(path);
      if (page === undefined) return undefined;
      kept.set(kind, page);
    }
    const parameterName = Object.keys(page.params).find((key) => key !== "*");
    return { ...page, params: parameterName === undefined ? {} : { [parameterName]: parameter } };
  };
}

function firstSegments(routes: RouteObject[]): Set<string | undefined> {
  return new Set(routes.map(({ path = "" }) => path.split("/")[0]));
}

/** Paths of pages that are the same for every visitor. */
export function publicPaths(build: ServerBuild): string[] {
  return Object.values(build.routes).flatMap((route) => {
    const isPage = route?.module.default !== undefined && route.parentId === "root" && !hydrates(route.module.handle);
    if (!isPage || /[:*]/.test(route.path ?? "")) return [];
    return `/${route.path ?? ""}`;
  });
}

/** Paths of files written by routes, such as `/robots.txt`, the same for every visitor. */
export function publicFiles(build: ServerBuild): string[] {
  return Object.values(build.routes).flatMap((route) => (route?.path?.includes(".") ? `/${route.path}` : []));
}

/** False for segments that look like a file, because shared caches may store them. */
export function isPlausibleParameter(segment: string): boolean {
  return segment.length <= MAX_PARAMETER_LENGTH && !segment.includes(".");
}

function childRoutes(build: ServerBuild, parentId: string | undefined): RouteObject[] {
  return Object.values(build.routes).flatMap((route) => {
    if (!route || route.parentId !== parentId) return [];
    const { id, path, caseSensitive } = route;
    return route.index
      ? { id, path, caseSensitive, index: true }
      : { id, path, caseSensitive, children: childRoutes(build, id) };
  });
}

function isValidPath(pathname: string): boolean {
  if (pathname.length > MAX_PATH_LENGTH || pathname.startsWith("//") || /%2f|%5c/i.test(pathname)) return false;
  try {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: no path may contain them
    return !/[\u0000-\u001f\u007f\\]/.test(decodeURIComponent(pathname));
  } catch {
    return false;
  }
}
