import type { Context, MiddlewareHandler } from "hono";
import { isOverLimit } from "../../shared/http/rate-limit";
import { rateLimitKeyOf } from "../../shared/http/rate-limit-key";
import type { SiteEnv } from "../context.server";
import { isGetOrHead } from "../is-get-or-head.server";
import type { MatchedRoute } from "../routes.server";
import {
  BODY_TOO_LARGE,
  CROSS_ORIGIN,
  MALFORMED,
  methodNotAllowed,
  NOT_FOUND,
  type Refusal,
  TOO_MANY_REQUESTS,
  UNSUPPORTED_TYPE,
  URL_TOO_LONG,
} from "./refusals.server";

const MAX_URL_LENGTH = 8192;
const MAX_QUERY_PARAMETERS = 64;
/** The action accepts at most 16 KB, but up to this size it returns a form with its short fields kept. */
export const MAX_FORM_BYTES = 256 * 1024;

const FORM_TYPE = /^(?:application\/x-www-form-urlencoded|multipart\/form-data)\s*(?:;|$)/i;

/** The parameter `_data`, each letter plain or escaped. */
const DATA_PARAMETER = /[?&](?:_|%5[fF])(?:d|%64)(?:a|%61)(?:t|%74)(?:a|%61)(?:[=&]|$)/;

/** Checks the headers alone (docs/threats.md), and passes the body on unread. */
export function guard(
  refuse: (c: Context<SiteEnv>, refusal: Refusal) => Promise<Response>,
): MiddlewareHandler<SiteEnv> {
  return async (c, next) => {
    const { raw } = c.req;
    const url = c.get("url");
    const refusal = checkRequest(raw, url, c.get("route"));
    if (refusal) return refuse(c, refusal);
    if (raw.method !== "POST") return next();
    const refusedForm = checkForm(raw, url) ?? ((await isFlood(c)) ? TOO_MANY_REQUESTS : undefined);
    return refusedForm ? refuse(c, refusedForm) : next();
  };
}

function checkRequest(request: Request, url: URL, route: MatchedRoute | undefined): Refusal | undefined {
  if (url.href.length > MAX_URL_LENGTH) return URL_TOO_LONG;
  if (!route) return NOT_FOUND;
  if (isMalformed(url.search)) return MALFORMED;
  const { method } = request;
  if (method === "POST" && route.takesForms) return undefined;
  if (!isGetOrHead(method)) return methodNotAllowed(route.takesForms ? "GET, HEAD, POST" : "GET, HEAD");
  return route.isData && isCrossOrigin(request, url) ? CROSS_ORIGIN : undefined;
}

/** Remix answers `_data` without the page's checks. A text search: parsing every query of a flood would cost too much. */
function isMalformed(search: string): boolean {
  return search.split("&", MAX_QUERY_PARAMETERS + 1).length > MAX_QUERY_PARAMETERS || DATA_PARAMETER.test(search);
}

function checkForm(request: Request, url: URL): Refusal | undefined {
  const { headers } = request;
  if (isCrossOrigin(request, url)) return CROSS_ORIGIN;
  if (!FORM_TYPE.test(headers.get("Content-Type") ?? "")) return UNSUPPORTED_TYPE;
  return Number(headers.get("Content-Length") ?? 0) > MAX_FORM_BYTES ? BODY_TOO_LARGE : undefined;
}

/** A form sent by script is exempt: it gets the action's cheap answer, and the script still has the typed values. */
async function isFlood(c: Context<SiteEnv>): Promise<boolean> {
  if (c.get("route")?.isData) return false;
  return isOverLimit(c.get("configuration").FLOOD_RATE_LIMIT, rateLimitKeyOf(c.get("ip")), c.get("log"));
}

// Go's rule (https://pkg.go.dev/net/http#CrossOriginProtection): Sec-Fetch-Site decides if it is sent. No page can forge it
// (Fetch Standard, "forbidden request-header"). Browsers from before 2023 are judged by the host of Origin, so that an
// https proxy in front of an http server works. Beyond Go's rule, a Referer decides if there is neither, as with text
// browsers. Clients that send none of the three have no user whose cookies another site could abuse.
function isCrossOrigin({ headers }: Request, { host }: URL): boolean {
  const site = headers.get("Sec-Fetch-Site");
  if (site) return site !== "same-origin" && site !== "none";
  const source = headers.get("Origin") || headers.get("Referer");
  return source ? hostOf(source) !== host : false;
}

/** Undefined for `null` and for anything else that is no URL. */
function hostOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).host : undefined;
}
