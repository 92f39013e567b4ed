import type { AppLoadContext } from "@remix-run/cloudflare";
import type { Context } from "hono";
import type { Refusal } from "./guard/refusals.server";
import type { Log } from "./log.server";
import { randomToken } from "./random-token.server";
import type { ReadStylesheet } from "./response/stylesheets.server";
import type { MatchedRoute } from "./routes.server";
import type { Configuration } from "./settings/configuration.server";

/** What the stages know about a request. */
interface RequestContext {
  requestId: string;
  url: URL;
  /** The visitor's IP address, from Cloudflare's header. X-Forwarded-For is not used: anyone can send one. */
  ip: string | null;
  /** Undefined if the site has no such path. */
  route: MatchedRoute | undefined;
  log: Log;
  configuration: Configuration;
  readStylesheet: ReadStylesheet;
  app: App;
}

/**
 * What a page is rendered with. Does not have the Worker's `env`: settings, secrets and bindings come only from the checked
 * configuration.
 */
export interface SiteContext extends RequestContext {
  /** Set while the page of a refused request is rendered. */
  refusal?: Refusal | undefined;
  /** Allows this rendering's inline scripts and styles. */
  nonce: string;
}

/**
 * The sign-up's part in the pipeline, made once from the configuration. Declared here, because the sign-up imports the pipeline and
 * must not be imported by it; derived from its one implementation, the type would also let any method pass, because AppLoadContext
 * has an index signature.
 */
export interface App {
  /** Remix's context for loaders, actions and the entry: the site's, and the sign-up's services. */
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
