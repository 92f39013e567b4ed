import type { AppLoadContext } from "@remix-run/cloudflare";
import { isFarOverLimit, isOverLimit } from "../../shared/limits/rate-limit";
import { rateLimitKeyOf } from "../../shared/limits/rate-limit-key";
import type { Handler, Middleware } from "../middleware.server";
import { CATCH_ALL, isPlausibleParameter, type MatchedRoute } from "../route-matcher.server";
import {
  CROSS_ORIGIN,
  methodNotAllowed,
  NOT_FOUND,
  type Refusal,
  type RefusalHandler,
  TOO_MANY_REQUESTS,
  withRefusalHeaders,
} from "./refusals.server";
import { checkFormHeaders, type PostedForm, readForm } from "./request-body.server";
import { checkUrl } from "./url-check.server";

export interface FormRules {
  /** The names that are read; all others are dropped. */
  fields: readonly string[];
}

/**
 * Checks URL, method and origin, and for forms type, rate, size and fields (docs/security/threats.md, A and B). A form that passes
 * is read, and its fields are in `context.form`. A refused request gets `answerRefused`, except for a form whose fields
 * were read: its own page shows the refusal.
 *
 * @example
 * const guard = requestGuard(refusalCache(matchRoute), { fields: ["email", "password"] });
 * const answer = compose([guard], remixHandler(build));
 */
export function requestGuard(answerRefused: RefusalHandler, rules: FormRules): Middleware<AppLoadContext> {
  async function guardForm(request: Request, context: AppLoadContext, next: Handler<AppLoadContext>) {
    const checked = await checkForm(request, context, rules);
    if (!("refusal" in checked)) return next(request, { ...context, form: checked.form });
    const { refusal } = checked;
    logRefusal(refusal, context);
    // The form's page can show the refusal if the fields were read or its script still has them.
    const form = checked.form ?? (context.route?.isData ? {} : undefined);
    if (form === undefined) return answerRefused(request, context, refusal, next);
    return withRefusalHeaders(refusal, await next(request, { ...context, form, refusal }));
  }

  return (request, context, next) => {
    const { route } = context;
    const refusal = route ? checkRequest(request, context.url, route) : NOT_FOUND;
    if (refusal) {
      logRefusal(refusal, context);
      return answerRefused(request, context, refusal, next);
    }
    return request.method === "POST" ? guardForm(request, context, next) : next(request, context);
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
  if (method === "POST" && route.takesForms) return undefined;
  if (method !== "GET" && method !== "HEAD") {
    return methodNotAllowed(route.takesForms ? "GET, HEAD, POST" : "GET, HEAD");
  }
  if (route.pattern === CATCH_ALL) return NOT_FOUND;
  return route.isData && isCrossOrigin(request, url) ? CROSS_ORIGIN : undefined;
}

function hasPlausibleParameters({ pattern, params }: MatchedRoute): boolean {
  return pattern === CATCH_ALL || Object.values(params).every((value = "") => isPlausibleParameter(value));
}

async function checkForm(
  request: Request,
  context: AppLoadContext,
  rules: FormRules,
): Promise<{ form: PostedForm } | { refusal: Refusal; form?: PostedForm | undefined }> {
  const { url, configuration, ip, log } = context;
  if (isCrossOrigin(request, url)) return { refusal: CROSS_ORIGIN };
  const refusal = checkFormHeaders(request);
  if (refusal) return { refusal };
  const limiter = configuration.SIGNUP_RATE_LIMIT;
  const sender = rateLimitKeyOf(ip);
  const tooMany = await isOverLimit(limiter, sender, log);
  // The page's script still has the typed values.
  if (tooMany && (context.route?.isData || (await isFarOverLimit(limiter, sender, log)))) {
    return { refusal: TOO_MANY_REQUESTS };
  }
  const read = await readForm(request, rules.fields, context.configuration.DEADLINE_FACTOR);
  if ("refusal" in read) return read;
  const { form } = read;
  return tooMany ? { refusal: TOO_MANY_REQUESTS, form } : { form };
}

/** Every browser that another site could abuse sends Origin or Sec-Fetch-Site: https://pkg.go.dev/net/http#CrossOriginProtection */
function isCrossOrigin({ headers }: Request, url: URL): boolean {
  const site = headers.get("Sec-Fetch-Site") ?? "none";
  const origin = headers.get("Origin") ?? url.origin;
  return origin !== url.origin || (site !== "same-origin" && site !== "none");
}
