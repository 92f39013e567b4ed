import type { PostedForm } from "./guard/form-body.server";
import type { Refusal } from "./guard/refusals.server";
import type { MatchedRoute, RouteMatcher } from "./guard/route-matcher.server";
import { createLog, type Log } from "./log.server";
import type { Configuration } from "./settings/configuration.server";

export interface ExecutionContext {
  waitUntil(work: Promise<unknown>): void;
}

interface BaseContext {
  requestId: string;
  url: URL;
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
  /** Set for a POST. The guard has read the body, so the request has none any more. */
  form?: PostedForm;
  refusal?: Refusal;
}

export type FormOutcome<Reply> =
  | { status: "redirect"; response: Response }
  | { status: "reply"; reply: Reply; httpStatus: number }
  | { status: "failed"; error: unknown };

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
