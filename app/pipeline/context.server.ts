import type { Refusal } from "./guard/refusals.server";
import type { Log } from "./log.server";
import type { Funnel } from "./plan-views.server";
import type { MatchedRoute } from "./route-matcher.server";
import type { Configuration } from "./settings/configuration.server";

export interface ExecutionContext {
  waitUntil(work: Promise<unknown>): void;
}

interface BaseContext {
  requestId: string;
  url: URL;
  /** The visitor's address from Cloudflare's header; anyone can send an X-Forwarded-For. */
  ip: string | null;
  /** Undefined for an invalid path. */
  route: MatchedRoute | undefined;
  /** Empty on pages that do not hydrate. */
  nonce: string;
  log: Log;
  execution: ExecutionContext;
}

export interface RequestContext extends BaseContext {
  env: unknown;
}

/** Shared by middleware, loaders and actions. Middleware passes on a changed copy instead of mutating it. */
export interface SiteContext extends BaseContext {
  configuration: Configuration;
  funnel: Funnel;
  /** For the page that shows it. */
  refusal?: Refusal;
}
