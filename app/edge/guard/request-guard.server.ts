import type { AppLoadContext } from "@remix-run/cloudflare";
import { loggedPath } from "../log.server";
import type { Handler, Middleware } from "../middleware.server";
import { isOverLimit } from "./rate-limit.server";
import {
  CROSS_ORIGIN,
  MALFORMED,
  methodNotAllowed,
  NOT_FOUND,
  type Refusal,
  refusalRenderer,
  TOO_MANY_REQUESTS,
  URL_TOO_LONG,
  withRefusalHeaders,
} from "./refusals.server";
import { checkFormHeaders, type PostedForm, readForm } from "./request-body.server";
import type { MatchedRoute, RouteMatcher } from "./route-matcher.server";

export interface FormRules {
  fields: readonly string[];
  /** Whether the form carries a recent token of this site; asked only when the request names no origin. */
  hasValidToken(form: PostedForm, context: AppLoadContext): Promise<boolean>;
}

/** A resume link has up to 5 KB. */
export const MAX_URL_LENGTH = 8192;

/** Checks URL, method and origin, and of a form also type, rate, size and fields (docs/threats.md, A and B). */
export function requestGuard(matchRoute: RouteMatcher, rules: FormRules): Middleware<AppLoadContext> {
  const renderRefusal = refusalRenderer(matchRoute);

  async function guardForm(request: Request, context: AppLoadContext, next: Handler<AppLoadContext>) {
    const checked = await checkForm(request, context, rules);
    if (!("refusal" in checked)) return next(request, { ...context, form: checked.form });
    const { refusal } = checked;
    logRefusal(refusal, context);
    // The form's own page shows the refusal if the fields were read, or if the page's script sent them and still has them.
    const form = checked.form ?? (context.route?.isData ? {} : undefined);
    if (form === undefined) return renderRefusal(context, refusal, next);
    return withRefusalHeaders(refusal, await next(request, { ...context, form, refusal }));
  }

  return (request, context, next) => {
    const { route } = context;
    const refusal = route ? checkRequest(request, context.url, route) : NOT_FOUND;
    if (refusal) {
      logRefusal(refusal, context);
      return renderRefusal(context, refusal, next);
    }
    return request.method === "POST" ? guardForm(request, context, next) : next(request, context);
  };
}

function logRefusal({ status, title }: Refusal, { log, url }: AppLoadContext): void {
  if (status === 404) log.warn("not_found", { status, path: loggedPath(url) });
  else log.warn("refused", { status, reason: title });
  log.add({ outcome: "refused" });
}

function checkRequest(request: Request, url: URL, route: MatchedRoute): Refusal | undefined {
  if (url.href.length > MAX_URL_LENGTH) return URL_TOO_LONG;
  // The `_data` requests of older Remix versions run a single loader or action, past the page's checks.
  if (url.search !== "" && url.searchParams.has("_data")) return MALFORMED;
  if (route.isData && !route.hydrates) return NOT_FOUND;
  const { method } = request;
  if (method === "POST" && route.takesForms) return undefined;
  if (method !== "GET" && method !== "HEAD") {
    return methodNotAllowed(route.takesForms ? "GET, HEAD, POST" : "GET, HEAD");
  }
  return route.isData && originOf(request, url) === "cross-origin" ? CROSS_ORIGIN : undefined;
}

async function checkForm(
  request: Request,
  context: AppLoadContext,
  rules: FormRules,
): Promise<{ form: PostedForm } | { refusal: Refusal; form?: PostedForm }> {
  const { url, configuration, log } = context;
  const origin = originOf(request, url);
  if (origin === "cross-origin") return { refusal: CROSS_ORIGIN };
  const refusal = checkFormHeaders(request);
  if (refusal) return { refusal };
  const tooMany = await isOverLimit(configuration.SIGNUP_RATE_LIMIT, request, log);
  const read = await readForm(request, rules.fields);
  if ("refusal" in read) return read;
  const { form } = read;
  if (origin === "unknown" && !(await rules.hasValidToken(form, context))) return { refusal: CROSS_ORIGIN };
  return tooMany ? { refusal: TOO_MANY_REQUESTS, form } : { form };
}

/** Old and text browsers send neither Sec-Fetch-Site nor Origin; then a Referer can only rule the request out. */
function originOf(request: Request, url: URL): "same-origin" | "cross-origin" | "unknown" {
  const site = request.headers.get("Sec-Fetch-Site");
  const origin = request.headers.get("Origin");
  if (origin !== null && origin !== url.origin) return "cross-origin";
  if (site !== null) return site === "same-origin" || site === "none" ? "same-origin" : "cross-origin";
  if (origin !== null) return "same-origin";
  const referer = request.headers.get("Referer");
  return referer === null || (URL.canParse(referer) && new URL(referer).origin === url.origin)
    ? "unknown"
    : "cross-origin";
}
