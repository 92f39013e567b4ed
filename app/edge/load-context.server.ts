import type { SignupCapabilities } from "../signup/services.server";
import type { EdgeContext } from "./worker.server";

declare module "@remix-run/server-runtime" {
  /** Loaders' data keeps its types on the way to the browser. */
  interface Future {
    v3_singleFetch: true;
  }
}

declare module "@remix-run/cloudflare" {
  /** What every loader and action gets as `context`. */
  interface AppLoadContext extends EdgeContext, SignupCapabilities {}
}
