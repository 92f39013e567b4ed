import * as build from "@remix-run/dev/server-build";
import { createSite } from "../app/edge/site.server";
import { signupCapabilities } from "../app/signup/capabilities.server";

const respond = createSite({
  build,
  privatePaths: /^\/subscription(\/|\.data$|$)/,
  prepare(configuration) {
    const { gate, ...signup } = signupCapabilities(configuration);
    return { gate, contextOf: (edge) => ({ ...edge, ...signup }) };
  },
});

export default { fetch: (request: Request, env: unknown) => respond(request, env) };
