import * as build from "@remix-run/dev/server-build";
import { createSite } from "../app/pipeline/stages.server";
import { signupServices } from "../app/signup/server/services.server";

export default createSite({
  build,
  services: signupServices,
  form: {
    isEmpty: (request, { sessions }) => !sessions.isIn(request),
    cookie: (request, { sessions }) => sessions.missingNonce(request),
  },
});
