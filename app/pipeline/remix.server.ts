import { createRequestHandler, type RequestHandler, type ServerBuild } from "@remix-run/cloudflare";
import type { RenderPage } from "./context.server";
import { isHtml } from "./response/is-html.server";

/** Renders with Remix. */
export function remix(build: ServerBuild): RenderPage {
  const handlers = new Map<string | undefined, RequestHandler>();
  return async (request, context) => {
    const { app, route } = context;
    const handle = handlers.get(route?.pattern) ?? createRequestHandler(buildOf(route?.pattern, build), "production");
    handlers.set(route?.pattern, handle);
    const response = await handle(withoutOrigin(request), app.loadContext(context));
    // Remix falls back to plain text if its error page fails too, for example after an error in the root loader.
    const isFallback = response.status === 500 && !isHtml(response) && !route?.isData;
    if (isFallback) throw new Error("Remix could not render its error page");
    return response;
  };
}

/**
 * The build reduced to the root and the matched route; all routes if none matched. Remix ranks all routes of its build for each
 * request, which would be a sixth of the work for a posted form.
 */
function buildOf(pattern: string | undefined, build: ServerBuild): ServerBuild {
  const isNeeded = ({ parentId, path = "" }: { parentId?: string; path?: string }) =>
    pattern === undefined || parentId === undefined || `/${path}` === pattern;
  const { assets, routes } = build;
  return { ...build, routes: pickBy(routes, isNeeded), assets: { ...assets, routes: pickBy(assets.routes, isNeeded) } };
}

function pickBy<T>(record: Record<string, T | undefined>, isPicked: (value: T) => boolean): Record<string, T> {
  return Object.fromEntries(
    Object.entries(record).flatMap(([name, value]) => (value !== undefined && isPicked(value) ? [[name, value]] : [])),
  );
}

/**
 * The request without Origin and X-Forwarded-Host. Remix compares them again and throws on an Origin that it cannot parse, even
 * for a HEAD. The guard has already checked the origin.
 */
function withoutOrigin(request: Request): Request {
  if (request.method === "GET") return request;
  const headers = new Headers(request.headers);
  headers.delete("Origin");
  headers.delete("X-Forwarded-Host");
  return new Request(request, { headers });
}
