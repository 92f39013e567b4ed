import * as build from "@remix-run/dev/server-build";
import type { SiteContext } from "../app/pipeline/context.server";
import { createSite } from "../app/pipeline/stages.server";
import { type SignupServices, signupServices } from "../app/signup/server/services.server";

declare module "@remix-run/cloudflare" {
  /** What loaders, actions and the entry get, made below. */
  interface AppLoadContext extends SiteContext, SignupServices {}
}

export default createSite({
  build,
  app(configuration) {
    const services = signupServices(configuration);
    const { sessions } = services;
    return {
      loadContext: (site) => ({ ...site, ...services }),
      isFormEmpty: (request) => !sessions.isIn(request),
      formCookie: (request) => sessions.missingNonce(request),
    };
  },
});
