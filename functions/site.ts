import * as build from "@remix-run/dev/server-build";
import { createSite } from "../app/pipeline/stages.server";
import { signupServices } from "../app/signup/server/services.server";

export default createSite({
  build,
  app(configuration) {
    const services = signupServices(configuration);
    const { sessions } = services;
    return {
      contextOf: (site) => ({ ...site, ...services }),
      isFormEmpty: (request) => !sessions.isIn(request),
      formCookie: (request) => sessions.missingNonce(request),
    };
  },
});
