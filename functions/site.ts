import * as build from "@remix-run/dev/server-build";
import type { Lifetime } from "../app/edge/pages/page-cache.server";
import { createSite } from "../app/edge/worker.server";
import { signupCapabilities } from "../app/signup/services.server";

const respond = createSite({
  build,
  prepare(configuration) {
    const { forms, ...signup } = signupCapabilities(configuration);
    return { forms, contextOf: (edge) => ({ ...edge, ...signup }) };
  },
});

export default {
  fetch: (request: Request, env: unknown, lifetime: Lifetime) => respond(request, env, lifetime),
};
