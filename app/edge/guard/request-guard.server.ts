import type { AppLoadContext } from "@remix-run/cloudflare";
import type { Handler, Middleware } from "../middleware.server";
import { type PostedForm, readForm, refusalOfHeaders } from "./form-body.server";
import { isOverLimit } from "./rate-limit.server";
import {
  FOREIGN_ORIGIN,
  MALFORMED,
  methodNotAllowed,
  NOT_FOUND,
  type Refusal,
  refusalRenderer,
  TOO_MANY_REQUESTS,
  URL_TOO_LONG,
  withHeadersOf,
} from "./refusals.server";
import type { MatchedRoute, RouteMatcher } from "./route-matcher.server";

/** What the guard has to know of the forms behind it. */
export interface FormRules {
  /** Field names that a form may have. */
  fields: readonly string[];
  /** Whether a form carries a token that this site issued not long ago: what counts where no origin is named. */
  hasValidToken(form: PostedForm, context: AppLoadContext): Promise<boolean>;
}

/** A resume link has up to 5 KB. */
export const MAX_URL_LENGTH = 8192;

/**
 * What every request passes before Remix sees it (docs/threats.md, sections A and B): its URL, method and origin, and of a
 * form the type, the rate, the size and the fields.
 */
export function requestGuard(matchRoute: RouteMatcher, rules: FormRules): Middleware<AppLoadContext> {
  const renderRefusal = refusalRenderer(matchRoute);

  async function guardForm(request: Request, context: AppLoadContext, next: Handler<AppLoadContext>) {
    const checked = await checkForm(request, context, rules);
    if (!("refusal" in checked)) return next(request, { ...context, form: checked.form });
    const { refusal } = checked;
    report(refusal, context);
    // The form's own page says it where its fields were read, or where the site's script asked and holds them.
    const form = checked.form ?? (context.route?.isData ? {} : undefined);
    if (form === undefined) return renderRefusal(context, refusal, next);
    return withHeadersOf(refusal, await next(request, { ...context, form, refusal }));
  }

  return (request, context, next) => {
    const { route } = context;
    const refusal = route ? refusalOf(request, context.url, route) : NOT_FOUND;
    if (refusal) {
      report(refusal, context);
      return renderRefusal(context, refusal, next);
    }
    return request.method === "POST" ? guardForm(request, context, next) : next(request, context);
  };
}

function report({ status, title }: Refusal, { log }: AppLoadContext): void {
  log.warn("refused", { status, reason: title });
  log.add({ outcome: "refused" });
}

/** What every request passes, whatever its method. */
function refusalOf(request: Request, url: URL, route: MatchedRoute): Refusal | undefined {
  if (url.href.length > MAX_URL_LENGTH) return URL_TOO_LONG;
  // Remix's old way to run a single loader or action, past the checks of the page; its own scripts use it no more.
  if (url.search !== "" && url.searchParams.has("_data")) return MALFORMED;
  if (route.isData && !route.hydrates) return NOT_FOUND;
  const { method } = request;
  if (method === "POST" && route.takesForms) return undefined;
  if (method !== "GET" && method !== "HEAD") {
    return methodNotAllowed(route.takesForms ? "GET, HEAD, POST" : "GET, HEAD");
  }
  // Only the site's own scripts ask for data.
  return route.isData && originOf(request, url) === "foreign" ? FOREIGN_ORIGIN : undefined;
}

async function checkForm(
  request: Request,
  context: AppLoadContext,
  rules: FormRules,
): Promise<{ form: PostedForm } | { refusal: Refusal; form?: PostedForm }> {
  const { url, configuration, log } = context;
  const origin = originOf(request, url);
  if (origin === "foreign") return { refusal: FOREIGN_ORIGIN };
  const refusal = refusalOfHeaders(request);
  if (refusal) return { refusal };
  const tooMany = await isOverLimit(configuration.SIGNUP_RATE_LIMIT, request, log);
  const read = await readForm(request, rules.fields);
  if ("refusal" in read) return read;
  const { form } = read;
  if (origin === "unknown" && !(await rules.hasValidToken(form, context))) return { refusal: FOREIGN_ORIGIN };
  return tooMany ? { refusal: TOO_MANY_REQUESTS, form } : { form };
}

/** Sec-Fetch-Site where the browser sends it, else Origin, else nobody knows. */
function originOf(request: Request, url: URL): "own" | "foreign" | "unknown" {
  const site = request.headers.get("Sec-Fetch-Site");
  const origin = request.headers.get("Origin");
  if (origin !== null && origin !== url.origin) return "foreign";
  if (site !== null) return site === "same-origin" || site === "none" ? "own" : "foreign";
  if (origin !== null) return "own";
  const referer = request.headers.get("Referer");
  return referer === null || (URL.canParse(referer) && new URL(referer).origin === url.origin) ? "unknown" : "foreign";
}
