import { type AppLoadContext, createRequestHandler, type ServerBuild } from "@remix-run/cloudflare";
import type { Handler } from "./middleware.server";

/**
 * One Remix handler per route. The path is already matched, and a handler that knows all routes would compare it with each of
 * them several times.
 */
export function remixHandler(build: ServerBuild): Handler<AppLoadContext> {
  const ofSite = createRequestHandler(build, "production");
  const ofRoutes = new Map(
    Object.keys(build.routes).map((id) => [id, createRequestHandler(onlyWith(id, build), "production")]),
  );
  return (request, context) => {
    const { route } = context;
    const handle = (route && ofRoutes.get(route.id)) || ofSite;
    return handle(request.method === "POST" ? withoutOrigin(request) : request, context);
  };
}

/** Remix trusts X-Forwarded-Host and fails on an Origin that it cannot parse; the guard has checked the origin. */
function withoutOrigin(request: Request): Request {
  const headers = new Headers(request.headers);
  headers.delete("Origin");
  headers.delete("X-Forwarded-Host");
  return new Request(request, { headers });
}

function onlyWith(id: string, build: ServerBuild): ServerBuild {
  const withParents = (of: string | undefined): string[] =>
    of === undefined ? [] : [...withParents(build.routes[of]?.parentId), of];
  const ids = new Set(withParents(id));
  const only = <Route>(routes: Record<string, Route>) =>
    Object.fromEntries(Object.entries(routes).filter(([other]) => ids.has(other)));
  const { assets } = build;
  return { ...build, routes: only(build.routes), assets: { ...assets, routes: only(assets.routes) } };
}
