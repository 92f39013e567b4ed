import * as build from "@remix-run/dev/server-build";
import { createSite } from "../app/pipeline/stages.server";
import { POSTED_FIELDS } from "../app/signup/form-schema";
import { formPageCache } from "../app/signup/server/form-page-cache.server";
import { signupServices } from "../app/signup/server/services.server";
import { handleForm } from "../app/signup/server/submit/submit-form.server";

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
