import * as build from "@remix-run/dev/server-build";
import { createSite } from "../app/pipeline/stages.server";
import { signupServices } from "../app/signup/server/services.server";

export default {
  fetch: createSite({ build, services: signupServices }),
};
