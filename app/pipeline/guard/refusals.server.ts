import { RETRY_AFTER_SECONDS } from "../../shared/http/rate-limit";

/** The guard answers with its page, or a script with its status; the action with a notice. */
export class Refusal {
  constructor(
    readonly status: 400 | 403 | 404 | 405 | 408 | 413 | 414 | 415 | 429,
    readonly title: string,
    readonly message: string,
    readonly headers: Record<string, string> = {},
  ) {}
}

export const NOT_FOUND = new Refusal(404, "Not found", "There is no such page.");
export const URL_TOO_LONG = new Refusal(414, "URL too long", "The URL is longer than this site accepts.");
export const CROSS_ORIGIN = new Refusal(
  403,
  "Request refused",
  "This form was not sent from our site. Please open the sign-up page again and send it from there.",
);
export const UNSUPPORTED_TYPE = new Refusal(
  415,
  "Unsupported form",
  "The form could not be read. Please open the sign-up page again and send it from there.",
);
export const BODY_TOO_LARGE = new Refusal(
  413,
  "Too much data",
  "The form is too large. Please shorten your entries and try again.",
);
export const BODY_TOO_SLOW = new Refusal(
  408,
  "Request timed out",
  "The form did not arrive in time. Please check your connection and try again.",
);
export const MALFORMED = new Refusal(
  400,
  "Malformed request",
  "The request could not be read. Please open the sign-up page again and send the form from there.",
);
export const TOO_MANY_REQUESTS = new Refusal(429, "Too many requests", "Please wait a moment and try again.", {
  "Retry-After": RETRY_AFTER_SECONDS,
});
/** `allow` is the value of the Allow header (RFC 9110, section 15.5.6). */
export function methodNotAllowed(allow: string): Refusal {
  return new Refusal(405, "Method not allowed", "This page does not accept that kind of request.", { Allow: allow });
}
