import type { SignupCapabilities } from "../signup/capabilities.server";
import type { EdgeContext } from "./site.server";

declare module "@remix-run/cloudflare" {
  /** What every loader and action gets as `context`. */
  interface AppLoadContext extends EdgeContext, SignupCapabilities {}
}
