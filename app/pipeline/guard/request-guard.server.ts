import type { AppLoadContext } from "@remix-run/cloudflare";
import type { Middleware } from "../middleware.server";
import { CATCH_ALL, isPlausibleParameter, type MatchedRoute } from "../route-matcher.server";
import {
  CROSS_ORIGIN,
  methodNotAllowed,
  NOT_FOUND,
  type Refusal,
  type RefusalHandler,
  UNSUPPORTED_TYPE,
} from "./refusals.server";
import { checkUrl } from "./url-check.server";

/**
 * Checks URL, method and origin, and a form's type (docs/security/threats.md, A and B), by the headers alone. The body is passed
 * on unread. A refused request gets `answerRefused`.
 *
 * @example
 * const answer = compose([requestGuard(refusalCache(matchRoute))], remixHandler(build));
 */
export function requestGuard(answerRefused: RefusalHandler): Middleware<AppLoadContext> {
  return (request, context, next) => {
    const { route } = context;
    const refusal = route ? checkRequest(request, context.url, route) : NOT_FOUND;
    if (refusal === undefined) return next(request, context);
    logRefusal(refusal, context);
    return answerRefused(request, context, refusal, next);
  };
}

function logRefusal({ status, title }: Refusal, { log }: AppLoadContext): void {
  if (status !== 404) log.add({ outcome: "refused", reason: title });
}

function checkRequest(request: Request, url: URL, route: MatchedRoute): Refusal | undefined {
  const refusal = checkUrl(url);
  if (refusal) return refusal;
  if ((route.isData && !route.hydrates) || !hasPlausibleParameters(route)) return NOT_FOUND;
  const { method } = request;
  if (method === "POST" && route.takesForms) return isCrossOrigin(request, url) ? CROSS_ORIGIN : checkType(request);
  if (method !== "GET" && method !== "HEAD") {
    return methodNotAllowed(route.takesForms ? "GET, HEAD, POST" : "GET, HEAD");
  }
  if (route.pattern === CATCH_ALL) return NOT_FOUND;
  return route.isData && isCrossOrigin(request, url) ? CROSS_ORIGIN : undefined;
}

function hasPlausibleParameters({ pattern, params }: MatchedRoute): boolean {
  return pattern === CATCH_ALL || Object.values(params).every((value = "") => isPlausibleParameter(value));
}

const FORM_TYPE = /^(?:application\/x-www-form-urlencoded|multipart\/form-data)\s*(?:;|$)/i;

/** The two types of HTML forms. */
function checkType({ headers }: Request): Refusal | undefined {
  return FORM_TYPE.test(headers.get("Content-Type") ?? "") ? undefined : UNSUPPORTED_TYPE;
}

/** Every browser that another site could abuse sends Origin or Sec-Fetch-Site: https://pkg.go.dev/net/http#CrossOriginProtection */
function isCrossOrigin({ headers }: Request, url: URL): boolean {
  const site = headers.get("Sec-Fetch-Site") ?? "none";
  const origin = headers.get("Origin") ?? url.origin;
  return origin !== url.origin || (site !== "same-origin" && site !== "none");
}
