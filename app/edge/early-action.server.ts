import type { AppLoadContext, ServerBuild } from "@remix-run/cloudflare";
import type { Address } from "./guard/route-matcher.server";

/**
 * Runs the action of a form before Remix does. A form that is taken leads to another page, and all that Remix would add is
 * two matchings of its address and three copies of the request, most of what such an answer costs. Everything else that
 * an action gives, an error included, Remix gets when it asks, and makes the page of it: an action runs once.
 * @returns the build for Remix, and `act`: the action's answer where it is a redirect, else nothing
 */
export function earlyActions(build: ServerBuild) {
  const given = new WeakMap<AppLoadContext, Promise<unknown>>();
  const routes = Object.entries(build.routes).map(([id, route]) => {
    const action = route?.module.action;
    if (!route || !action) return [id, route] as const;
    const once: typeof action = (args) => given.get(args.context) ?? action(args);
    return [id, { ...route, module: { ...route.module, action: once } }] as const;
  });

  return {
    build: { ...build, routes: Object.fromEntries(routes) } satisfies ServerBuild,

    async act(request: Request, { routeId, params }: Address, context: AppLoadContext): Promise<Response | undefined> {
      const action = build.routes[routeId]?.module.action;
      if (!action) return undefined;
      const giving = (async () => action({ request, params, context }))();
      given.set(context, giving);
      const result = await giving.catch(() => undefined);
      return result instanceof Response && isRedirect(result.status) ? result : undefined;
    },
  };
}

function isRedirect(status: number): boolean {
  return status >= 300 && status < 400;
}
