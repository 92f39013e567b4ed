import type { AppLoadContext } from "@remix-run/cloudflare";
import { RETRY_AFTER_SECONDS } from "../../shared/limits/rate-limit";
import type { Handler } from "../middleware.server";
import type { RouteMatcher } from "../route-matcher.server";

export interface Refusal {
  status: 400 | 403 | 404 | 405 | 408 | 413 | 414 | 415 | 429 | 500;
  title: string;
  message: string;
  headers?: Record<string, string>;
}

export type RefusalHandler = (
  request: Request,
  context: AppLoadContext,
  refusal: Refusal,
  next: Handler<AppLoadContext>,
) => Response | Promise<Response>;

/** Matches only the catch-all route, which renders the context's refusal. */
const REFUSAL_PATH = "/refused";

/** Renders a refusal's page as HTML or Markdown, depending on `accept`. */
export function refusalRenderer(matchRoute: RouteMatcher) {
  const route = matchRoute(REFUSAL_PATH);
  return async (context: AppLoadContext, refusal: Refusal, next: Handler<AppLoadContext>, accept = "text/html") => {
    const url = new URL(REFUSAL_PATH, context.url);
    const request = new Request(url, { headers: { Accept: accept } });
    const response = await next(request, { ...context, url, route, nonce: "", refusal });
    return withRefusalHeaders(refusal, response);
  };
}

/** Sets the refusal's headers, such as Allow or Retry-After, on the response and returns it. */
export function withRefusalHeaders({ headers = {} }: Refusal, response: Response): Response {
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
  return response;
}

export const NOT_FOUND: Refusal = { status: 404, title: "Not found", message: "There is no such page." };
export const URL_TOO_LONG: Refusal = {
  status: 414,
  title: "URL too long",
  message: "The URL is longer than this site accepts.",
};
export const CROSS_ORIGIN: Refusal = {
  status: 403,
  title: "Request refused",
  message: "This form was not sent from our site. Please open the sign-up page again and send it from there.",
};
export const UNSUPPORTED_TYPE: Refusal = {
  status: 415,
  title: "Unsupported form",
  message: "The form could not be read. Please open the sign-up page again and send it from there.",
};
export const BODY_TOO_LARGE: Refusal = {
  status: 413,
  title: "Too much data",
  message: "The form holds more than we can take. Please shorten your entries and try again.",
};
export const BODY_TOO_SLOW: Refusal = {
  status: 408,
  title: "Request timed out",
  message: "The form did not arrive in time. Please check your connection and try again.",
};
export const MALFORMED: Refusal = {
  status: 400,
  title: "Malformed request",
  message: "The request could not be read. Please open the sign-up page again and send the form from there.",
};
export const TOO_MANY_REQUESTS: Refusal = {
  status: 429,
  title: "Too many requests",
  message: "Please wait a moment and try again.",
  headers: { "Retry-After": RETRY_AFTER_SECONDS },
};
export const UNEXPECTED_ERROR: Refusal = {
  status: 500,
  title: "Unexpected Application Error",
  message:
    "Something went wrong on our side. Please try again. If it happens again, contact support and include the request ID.",
};

/** `allow` is the value of the Allow header (RFC 9110, section 15.5.6). */
export function methodNotAllowed(allow: string): Refusal {
  return {
    status: 405,
    title: "Method not allowed",
    message: "This page does not accept that kind of request.",
    headers: { Allow: allow },
  };
}
