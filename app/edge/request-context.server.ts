import type { PostedForm } from "./guard/form-body.server";
import type { Refusal } from "./guard/refusals.server";
import type { MatchedRoute, RouteMatcher } from "./guard/route-matcher.server";
import { createLog, type Log } from "./log.server";
import type { Configuration } from "./settings/configuration.server";

/** The part of Cloudflare's `ExecutionContext` that the site uses: work that outlives its request. */
export interface ExecutionContext {
  waitUntil(work: Promise<unknown>): void;
}

/** What is known of a request from itself. */
interface BaseContext {
  requestId: string;
  url: URL;
  /** Undefined for a path that no route can have. */
  route: MatchedRoute | undefined;
  /** For the scripts of a page that hydrates; empty for all others. */
  nonce: string;
  log: Log;
  execution: ExecutionContext;
}

/** What is known before the configuration is read. */
export interface RequestContext extends BaseContext {
  /** The Worker's bindings, as Cloudflare hands them over. */
  env: unknown;
}

/**
 * What the stages of the pipeline, and every loader and action, know of a request. It is never changed: a stage that has
 * something to add hands on a copy.
 */
export interface SiteContext extends BaseContext {
  configuration: Configuration;
  /** The fields of a post. The guard has read them, so the request has no body any more. */
  form?: PostedForm;
  /** Set when the guard refused the request: the page says so instead of answering. */
  refusal?: Refusal;
}

/** What became of a posted form: the browser is sent on, the form comes back with a reply, or nobody expected this. */
export type FormOutcome<Reply> =
  | { status: "redirect"; response: Response }
  | { status: "reply"; reply: Reply; httpStatus: number }
  | { status: "failed"; error: unknown };

/** The context that a request begins with. */
export function requestContext(
  request: Request,
  env: unknown,
  execution: ExecutionContext,
  matchRoute: RouteMatcher,
): RequestContext {
  const url = new URL(request.url);
  const route = matchRoute(url.pathname);
  const requestId = /^[\w-]{1,64}$/.exec(request.headers.get("CF-Ray") ?? "")?.[0] ?? crypto.randomUUID();
  const nonce = route?.hydrates ? crypto.randomUUID() : "";
  return { requestId, url, route, nonce, log: createLog(requestId), execution, env };
}
