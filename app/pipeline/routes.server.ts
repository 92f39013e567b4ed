import type { ServerBuild } from "@remix-run/cloudflare";
import { RegExpRouter } from "hono/router/reg-exp-router";
import { markdownPath } from "../seo/markdown-path";
import { hydrates } from "../ui/document/hydration";

interface SiteRoute {
  /** For example `/subscription/:id?`. Logged instead of the path. */
  pattern: string;
  hydrates: boolean;
  takesForms: boolean;
  /** A page, a page's Markdown or a file that is the same for every visitor. */
  isPublic: boolean;
  /** Set for a page's Markdown: the path of the page. */
  markdownOf?: string;
}

export interface MatchedRoute extends SiteRoute {
  params: Record<string, string>;
  /** True for the data of a hydrated page: `/subscription.data`. */
  isData: boolean;
  pagePath: string;
}

export type RouteMatcher = (pathname: string) => MatchedRoute | undefined;

const DATA_SUFFIX = ".data";
const MAX_PARAMETER_LENGTH = 100;

/** Matches paths with Hono's router: Remix's routes, their data and their Markdown. */
export function routeMatcher(build: ServerBuild): RouteMatcher {
  const router = new RegExpRouter<SiteRoute>();
  for (const route of Object.values(build.routes)) {
    if (route?.parentId !== "root" || route.path === "*") continue;
    const { module, path = "" } = route;
    const pattern = `/${path}`;
    const isPage = module.default !== undefined;
    const isPublic = isPage ? !hydrates(module.handle) && !path.includes(":") : path.includes(".");
    const known = { pattern, hydrates: hydrates(module.handle), takesForms: module.action !== undefined, isPublic };
    router.add("ALL", pattern, known);
    if (isPage && isPublic) router.add("ALL", markdownPath(pattern), { ...known, markdownOf: pattern });
  }

  return (pathname) => {
    const isData = pathname.endsWith(DATA_SUFFIX);
    const path = isData ? pathname.slice(0, -DATA_SUFFIX.length) : pathname;
    const [[found], values = []] = router.match("ALL", path);
    if (!found) return undefined;
    const [route, places] = found;
    const params = Object.fromEntries(
      Object.entries(places).map(([name, place]) => [name, values[Number(place)] ?? ""]),
    );
    if ((isData && !route.hydrates) || !Object.values(params).every(isPlausibleParameter)) return undefined;
    return { ...route, params, isData, pagePath: route.markdownOf ?? path };
  };
}

/** False if it looks like a file name, which shared caches may store, or could be another path once decoded. */
function isPlausibleParameter(segment: string): boolean {
  if (segment.length > MAX_PARAMETER_LENGTH) return false;
  try {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: no path may contain them
    return !/[\u0000-\u001f\u007f/\\.]/.test(decodeURIComponent(segment));
  } catch {
    return false;
  }
}
