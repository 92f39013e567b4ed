import * as build from "@remix-run/dev/server-build";
import { createSite } from "../../app/edge/site.server";
import { signupCapabilities } from "../../app/signup/capabilities.server";

/** The site with one fault put in: the pricing route throws. */
const pricing = build.routes["routes/pricing"];
if (!pricing) throw new Error("The pricing route is gone");

function loader(): never {
  throw new Error("words-of-the-error");
}

const respond = createSite({
  build: {
    ...build,
    routes: { ...build.routes, "routes/pricing": { ...pricing, module: { ...pricing.module, loader } } },
  },
  prepare(configuration) {
    const { forms, ...signup } = signupCapabilities(configuration);
    return { forms, contextOf: (edge) => ({ ...edge, ...signup }) };
  },
});

export default { fetch: (request: Request, env: unknown) => respond(request, env) };
