import * as build from "@remix-run/dev/server-build";
import type { Lifetime } from "../../../app/edge/pages/page-cache.server";
import { createSite } from "../../../app/edge/worker.server";
import { signupCapabilities } from "../../../app/signup/services.server";

/** The site with one fault put in: the routes of the pricing page and of the sign-up throw. */
function throwing(routeId: string) {
  const route = build.routes[routeId];
  if (!route) throw new Error(`The route ${routeId} is gone`);
  return { [routeId]: { ...route, module: { ...route.module, loader: fail, action: route.module.action && fail } } };
}

function fail(): never {
  throw new Error("words-of-the-error");
}

const respond = createSite({
  build: {
    ...build,
    routes: { ...build.routes, ...throwing("routes/pricing"), ...throwing("routes/subscription") },
  },
  prepare(configuration) {
    const { forms, ...signup } = signupCapabilities(configuration);
    return { forms, contextOf: (edge) => ({ ...edge, ...signup }) };
  },
});

export default {
  fetch: (request: Request, env: unknown, lifetime: Lifetime) => respond(request, env, lifetime),
};
