import * as build from "@remix-run/dev/server-build";
import { createSite } from "../app/edge/worker.server";
import { formPageCache } from "../app/signup/form/form-page-cache.server";
import { POSTED_FIELDS } from "../app/signup/form/form-schema";
import { signupServices } from "../app/signup/services.server";
import { handleForm } from "../app/signup/submit/submit-form.server";

export default {
  fetch: createSite({
    build,
    services: signupServices,
    form: {
      fields: POSTED_FIELDS,
      cache: formPageCache(),
      handle: handleForm,
    },
  }),
};
