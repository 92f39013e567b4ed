import type { ServerBuild } from "@remix-run/cloudflare";
import { matchRoutes, type Params } from "@remix-run/react";
import { hydrates } from "../../ui/hydration";

type RouteObject = NonNullable<ReturnType<typeof matchRoutes>>[number]["route"];

/** What the edge knows of an address before Remix answers it. */
export interface Address {
  /** Of the route in the build. */
  routeId: string;
  /** What the path says in place of the pattern's names. */
  params: Params;
  /** The pattern of its route, such as `/subscription/:id?`: what a log may hold of an address. */
  route: string;
  /** Whether the page runs the framework's script: such pages take a visitor's data and are kept in no cache. */
  hydrates: boolean;
  /** Whether the route has an action; everything else is read only. */
  takesForms: boolean;
  /** Whether it is the route's data that is asked for, as only the site's own scripts do. */
  isData: boolean;
}

/** Gives the address of a path; undefined when it is none that a route can have. */
export type AddressBook = (pathname: string) => Address | undefined;

const MAX_PATH_LENGTH = 2048;

/**
 * Looks addresses up among the build's own routes with Remix's own matching, so that the edge and Remix never differ
 * about what `/Subscription/` or `/%73ubscription` is.
 */
export function addressBook(build: ServerBuild): AddressBook {
  const routes = routesUnder(build, undefined);
  /** Those whose path is their route's, as written, without its optional parts: few, and asked for most. */
  const fixed = new Map<string, Address>();
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
    const last = matches.at(-1);
    const address = {
      routeId: last?.route.id ?? "",
      params: last?.params ?? {},
      route: `/${matches.flatMap(({ route }) => route.path || []).join("/")}`,
      hydrates: modules.some((module) => hydrates(module?.handle)),
      takesForms: modules.at(-1)?.action !== undefined,
      isData,
    };
    if (address.route.replace(/\/:\w+\?/g, "") === pathname) fixed.set(pathname, address);
    return address;
  };
}

/** The paths of the pages that are the same for everyone: no parameter in the address, nothing of a visitor on them. */
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
