import { RETRY_AFTER_SECONDS } from "../../shared/limits/rate-limit";

export interface Refusal {
  status: 400 | 403 | 404 | 405 | 408 | 413 | 414 | 415 | 429;
  title: string;
  message: string;
  headers?: Record<string, string>;
}

/** Thrown by the guard; the pipeline's error page answers it. */
export class RefusedRequest extends Error {
  override name = "RefusedRequest";
  constructor(readonly refusal: Refusal) {
    super(refusal.title);
  }
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
/** `allow` is the value of the Allow header (RFC 9110, section 15.5.6). */
export function methodNotAllowed(allow: string): Refusal {
  return {
    status: 405,
    title: "Method not allowed",
    message: "This page does not accept that kind of request.",
    headers: { Allow: allow },
  };
}

/** What a page needs of the refusal with this status; undefined for any other status. */
export function refusalOf(status: number): Pick<Refusal, "status" | "title" | "message"> | undefined {
  return REFUSALS.find((refusal) => refusal.status === status);
}

const REFUSALS = [
  NOT_FOUND,
  URL_TOO_LONG,
  CROSS_ORIGIN,
  UNSUPPORTED_TYPE,
  BODY_TOO_LARGE,
  BODY_TOO_SLOW,
  MALFORMED,
  TOO_MANY_REQUESTS,
  methodNotAllowed(""),
];
