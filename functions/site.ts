import { createRequestHandler } from "@remix-run/cloudflare";
import * as build from "@remix-run/dev/server-build";

const handler = createRequestHandler(build, "production");
export default {
  fetch(request: Request) {
    return handler(request, {} as never);
  },
};
