import { type AppLoadContext, createRequestHandler, type ServerBuild } from "@remix-run/cloudflare";
import type { Handler } from "./middleware.server";

/**
 * Remix compares the path of a request with every route, several times for each page. It has been matched already, so
 * each route has a handler that knows no other one.
 */
export function remixHandler(build: ServerBuild): Handler<AppLoadContext> {
  const ofSite = createRequestHandler(build, "production");
  const ofRoutes = new Map(
    Object.keys(build.routes).map((id) => [id, createRequestHandler(onlyWith(id, build), "production")]),
  );
  return (request, context) => {
    const { route } = context;
    const handle = (route && ofRoutes.get(route.id)) || ofSite;
    return handle(request, context);
  };
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
