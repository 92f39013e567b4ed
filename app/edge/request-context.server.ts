import type { Funnel } from "./funnel.server";
import type { Refusal } from "./guard/refusals.server";
import type { PostedForm } from "./guard/request-body.server";
import type { MatchedRoute } from "./guard/route-matcher.server";
import type { Log } from "./log.server";
import type { Configuration } from "./settings/configuration.server";

export interface ExecutionContext {
  waitUntil(work: Promise<unknown>): void;
}

interface BaseContext {
  requestId: string;
  url: URL;
  /** Of the visitor. Cloudflare sets the header that it is read from; anyone can send an X-Forwarded-For. */
  ip: string | null;
  /** Undefined for an invalid path. */
  route: MatchedRoute | undefined;
  /** Empty for pages that do not hydrate. */
  nonce: string;
  log: Log;
  execution: ExecutionContext;
}

export interface RequestContext extends BaseContext {
  env: unknown;
}

/** Shared by middleware, loaders and actions. Never mutated: middleware passes on a changed copy. */
export interface SiteContext extends BaseContext {
  configuration: Configuration;
  funnel: Funnel;
  /** Set for a POST. The guard has read the body, so the request has none any more. */
  form?: PostedForm;
  refusal?: Refusal;
}
