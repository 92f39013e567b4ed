import type { AppLoadContext } from "@remix-run/cloudflare";
import type { Context } from "hono";
import type { Refusal } from "./guard/refusals.server";
import type { Log } from "./log.server";
import { randomToken } from "./random-token.server";
import type { ReadStylesheet } from "./response/stylesheets.server";
import type { MatchedRoute } from "./routes.server";
import type { Configuration } from "./settings/configuration.server";

interface RequestVariables {
  requestId: string;
  url: URL;
  /** The visitor's IP address, from Cloudflare's header. X-Forwarded-For is not used: anyone can send one. */
  ip: string | null;
  /** Undefined if the site has no such path. */
  route: MatchedRoute | undefined;
  log: Log;
  configuration: Configuration;
  readStylesheet: ReadStylesheet;
}

/** What the pipeline passes to loaders, actions and the entry. */
export interface SiteContext extends RequestVariables {
  /** Set while the page of a refused request is rendered. */
  refusal?: Refusal | undefined;
  /** Allows this rendering's inline scripts and styles. */
  nonce: string;
  execution: { waitUntil(work: Promise<unknown>): void };
}

/** The app that the pipeline leads to, made once from the configuration. The pipeline itself knows no feature. */
export interface App {
  /** Adds the features' services to what the pipeline passes on. */
  contextOf(site: SiteContext): AppLoadContext;
  /** False if the form's page shows anything about the visitor, such as a sign-up in progress. */
  isFormEmpty(request: Request): boolean;
  /** The Set-Cookie value for a visitor without the form's cookie. */
  formCookie(request: Request): string | undefined;
}

/** Types `c.var` in the pipeline. Reading `c.var` copies all variables, so code on every request's path uses `c.get`. */
export type SiteEnv = { Bindings: object; Variables: RequestVariables & { app: App } };

/** Remix's `getLoadContext`. Leaves out the Worker's bindings, so that secrets can only be read from the configuration. */
export function loadContextOf(c: Context<SiteEnv>, changes: Partial<SiteContext> = {}): AppLoadContext {
  const { app, ...variables } = c.var;
  return app.contextOf({ ...variables, nonce: randomToken(), execution: c.executionCtx, ...changes });
}
