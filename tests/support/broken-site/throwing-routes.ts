import * as build from "@remix-run/dev/server-build";
import { createSite } from "../../../app/edge/worker.server";
import { POSTED_FIELDS } from "../../../app/signup/form/form-schema";
import { signupServices } from "../../../app/signup/services.server";
import { handleForm } from "../../../app/signup/submit/submit-form.server";

/** The site with one fault put in: the loaders of the pricing page and of the sign-up throw, and so does a posted form. */
function throwing(routeId: string) {
  const route = build.routes[routeId];
  if (!route) throw new Error(`The route ${routeId} is gone`);
  return { [routeId]: { ...route, module: { ...route.module, loader: fail } } };
}

function fail(): never {
  throw new Error("words-of-the-error");
}

export default {
  fetch: createSite({
    build: {
      ...build,
      routes: { ...build.routes, ...throwing("routes/pricing"), ...throwing("routes/subscription") },
    },
    services(configuration) {
      const services = signupServices(configuration);
      return { ...services, sessions: { ...services.sessions, read: async () => fail() } };
    },
    form: { fields: POSTED_FIELDS, hasValidToken: async () => false, handle: handleForm },
  }),
};
