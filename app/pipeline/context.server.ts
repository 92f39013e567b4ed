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
  /** The visitor's address from Cloudflare's header; anyone can send an X-Forwarded-For. */
  ip: string | null;
  /** Undefined for a path that is none of the site's. */
  route: MatchedRoute | undefined;
  log: Log;
  configuration: Configuration;
  readStylesheet: ReadStylesheet;
}

/** What the pipeline gives to loaders, actions and the entry. */
export interface SiteContext extends RequestVariables {
  /** Why the request gets no page of its own, where the page of a refusal is rendered. */
  refusal?: Refusal | undefined;
  /** Allows the inline scripts and styles of this rendering. */
  nonce: string;
  execution: { waitUntil(work: Promise<unknown>): void };
}

/** What features add to Remix's context, as app/entry.server.tsx names it. Remix's interface also allows any other name. */
export type FeatureServices = Omit<
  { [Name in keyof AppLoadContext as string extends Name ? never : Name]: AppLoadContext[Name] },
  keyof SiteContext
>;

/** The pipeline's `c.var`, which copies all variables: what every request passes reads one with `c.get`. */
export type SiteEnv = { Bindings: object; Variables: RequestVariables & { services: FeatureServices } };

/** Remix's `getLoadContext`. The Worker's bindings stay behind, so that secrets are read from the configuration only. */
export function loadContextOf({ var: { services, ...variables }, executionCtx }: Context<SiteEnv>): AppLoadContext {
  return { ...services, ...variables, nonce: randomToken(), execution: executionCtx };
}
