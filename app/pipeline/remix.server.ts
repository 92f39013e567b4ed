import { createRequestHandler, type RequestHandler, type ServerBuild } from "@remix-run/cloudflare";
import type { RenderPage } from "./context.server";
import { NoErrorPage } from "./response/error-page.server";
import { isHtml } from "./response/is-html.server";
import type { MatchedRoute } from "./routes.server";

export function remix(build: ServerBuild): RenderPage {
  const handlers = new Map<string | undefined, RequestHandler>();
  return async (request, context) => {
    const { app, route } = context;
    const path = route && pathOf(route);
    const handle = handlers.get(path) ?? createRequestHandler(buildOf(route, build), "production");
    handlers.set(path, handle);
    const response = await handle(withCheckedOrigin(request), app.loadContext(context));
    // Remix falls back to plain text if its error page fails too, for example after an error in the root loader.
    const isFallback = response.status === 500 && !isHtml(response) && !route?.isData;
    if (isFallback) throw new NoErrorPage();
    return response;
  };
}

/** A route's path with the optional parameters that the request has: `subscription/:id`. */
function pathOf({ pattern, params }: MatchedRoute): string {
  return pattern.slice(1).replace(/\/:(\w+)\?/g, (_, name) => (name in params ? `/:${name}` : ""));
}

/** Has only the root and the matched route, because Remix expands and ranks all paths of its build three times per request. */
function buildOf(route: MatchedRoute | undefined, build: ServerBuild): ServerBuild {
  if (!route) return build;
  const isNeeded = ({ parentId, path = "" }: { parentId?: string; path?: string }) =>
    parentId === undefined || `/${path}` === route.pattern;
  const routes = pickBy(build.routes, isNeeded);
  for (const [id, one] of Object.entries(routes)) {
    if (one.parentId !== undefined) routes[id] = { ...one, path: pathOf(route) };
  }
  return { ...build, routes, assets: { ...build.assets, routes: pickBy(build.assets.routes, isNeeded) } };
}

function pickBy<T>(record: Record<string, T | undefined>, isPicked: (value: T) => boolean): Record<string, T> {
  return Object.fromEntries(
    Object.entries(record).flatMap(([name, value]) => (value !== undefined && isPicked(value) ? [[name, value]] : [])),
  );
}

/** The guard has checked the origin. Remix would check again, and throw on an Origin that it cannot parse, even for a HEAD. */
function withCheckedOrigin(request: Request): Request {
  const { headers, method } = request;
  const origin = headers.get("Origin");
  const isOwn = origin === null || origin.endsWith(`//${headers.get("Host")}`);
  if (method === "GET" || (isOwn && !headers.has("X-Forwarded-Host"))) return request;
  const changed = new Headers(headers);
  changed.delete("Origin");
  changed.delete("X-Forwarded-Host");
  return new Request(request, { headers: changed });
}
