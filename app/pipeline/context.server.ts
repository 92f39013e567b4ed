import type { AppLoadContext } from "@remix-run/cloudflare";
import type { Context } from "hono";
import type { Refusal } from "./guard/refusals.server";
import type { Log } from "./log.server";
import { randomToken } from "./random-token.server";
import type { ReadStylesheet } from "./response/stylesheets.server";
import type { MatchedRoute } from "./routes.server";
import type { Configuration } from "./settings/configuration.server";

interface RequestContext {
  requestId: string;
  url: URL;
  /** The visitor's IP address, from Cloudflare's header. X-Forwarded-For is not used: anyone can send one. */
  ip: string | null;
  route: MatchedRoute | undefined;
  log: Log;
  configuration: Configuration;
  readStylesheet: ReadStylesheet;
  app: App;
}

/** What a page is rendered with. Without the Worker's `env`: settings come only from the checked configuration. */
export interface SiteContext extends RequestContext {
  refusal?: Refusal | undefined;
  nonce: string;
}

// The sign-up's part in the pipeline. Declared here, because the sign-up imports the pipeline and must not be imported by
// it. Derived from its implementation, the type would let any method pass: AppLoadContext has an index signature.
export interface App {
  loadContext(site: SiteContext): AppLoadContext;
  /** False if the form's page shows anything about the visitor, such as a sign-up in progress. */
  isFormEmpty(request: Request): boolean;
  /** The Set-Cookie value for a visitor without the form's cookie. */
  formCookie(request: Request): string | undefined;
}

/** Types `c` in the stages. Reading `c.var` copies all variables, so code on every request's path uses `c.get`. */
export type SiteEnv = { Bindings: object; Variables: RequestContext };

export type RenderPage = (request: Request, context: SiteContext) => Promise<Response>;

/** @param changes what differs from the visitor's request, for a page that is rendered for everyone */
export function siteContext(c: Context<SiteEnv>, changes: Partial<SiteContext> = {}): SiteContext {
  return { ...c.var, nonce: randomToken(), ...changes };
}
