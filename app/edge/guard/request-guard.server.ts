import { readText } from "./bounded-body.server";
import { RETRY_AFTER_SECONDS } from "./rate-limit.server";
import type { Address } from "./route-matcher.server";

/** An answer of the gate instead of the site's: what the visitor reads, and why. */
export interface Refusal {
  status: 400 | 403 | 404 | 405 | 408 | 413 | 414 | 415 | 429 | 500;
  title: string;
  message: string;
  headers?: Record<string, string>;
}

export interface GateRules {
  /** Field names that a form may have; all others are dropped. */
  fields: readonly string[];
  /** Whether a form that comes with neither Origin nor Sec-Fetch-Site carries this site's own fresh nonce. */
  vouches(form: PostedForm): Promise<boolean>;
  /** Counts a form for its sender, and says whether it was one too many. */
  isOverLimit(request: Request): Promise<boolean>;
}

/** The fields of a form that the site knows, each once. */
export type PostedForm = Readonly<Record<string, string>>;

/**
 * What the gate makes of a request: nothing, when it passes, or a refusal. A refusal comes with a form where the form's own
 * page can say it: with the whole form when it only came too soon, with none of it when the site's script asked.
 */
export interface Passage {
  refusal?: Refusal;
  /** Of a post: the gate reads it, so that it is no longer in the request. */
  form?: PostedForm;
}

const MAX_BODY_BYTES = 16 * 1024;
const MAX_FIELDS = 32;
/** A link that continues a sign-up on another device has up to 5 KB. */
const MAX_URL_LENGTH = 8192;
/** Enough for a slow phone's 16 KB; a body that trickles in does not hold a request open. */
const BODY_DEADLINE_MS = 10_000;

/**
 * What every request passes before the site handles it (threats.md, sections A and B): its address, method and origin, and of
 * a form the type, the rate, the size and the fields.
 * @param url of the request
 * @param address of the request; undefined for one that no route can have
 */
export async function passGate(
  request: Request,
  url: URL,
  address: Address | undefined,
  rules: GateRules,
): Promise<Passage> {
  const refusal = judgeRequest(request, url, address);
  if (refusal || address === undefined) return { refusal: refusal ?? NOT_FOUND };
  return request.method === "POST" ? passForm(request, url, address, rules) : {};
}

/** The gate without what it asks of a form: all that a request passes that only reads. */
export function judgeRequest(request: Request, url: URL, address: Address | undefined): Refusal | undefined {
  if (address === undefined) return NOT_FOUND;
  const refusal = judgeAddress(url, address) ?? judgeMethod(request.method, address);
  if (refusal || request.method === "POST") return refusal;
  // Only the site's own scripts ask for data.
  return address.isData && judgeOrigin(request, url) === "foreign" ? FOREIGN : undefined;
}

function judgeAddress(url: URL, address: Address): Refusal | undefined {
  if (url.href.length > MAX_URL_LENGTH) return TOO_LONG;
  // Remix's old way to run a single loader or action, past the checks of the page; its own scripts use it no more.
  if (url.search !== "" && url.searchParams.has("_data")) return MALFORMED;
  return address.isData && !address.hydrates ? NOT_FOUND : undefined;
}

function judgeMethod(method: string, { takesForms }: Address): Refusal | undefined {
  if (method === "GET" || method === "HEAD" || (method === "POST" && takesForms)) return undefined;
  return methodNotAllowed(takesForms ? "GET, HEAD, POST" : "GET, HEAD");
}

async function passForm(request: Request, url: URL, address: Address, rules: GateRules): Promise<Passage> {
  const read = await readForm(request, url, rules);
  if (!("form" in read)) return address.isData ? { refusal: read, form: {} } : { refusal: read };
  return read.isOverLimit ? { refusal: TOO_MANY, form: read.form } : { form: read.form };
}

async function readForm(
  request: Request,
  url: URL,
  rules: GateRules,
): Promise<{ form: PostedForm; isOverLimit: boolean } | Refusal> {
  const origin = judgeOrigin(request, url);
  if (origin === "foreign") return FOREIGN;
  if (!isUrlEncoded(request)) return UNSUPPORTED;
  if (Number(request.headers.get("Content-Length") ?? 0) > MAX_BODY_BYTES) return TOO_LARGE;
  const isOverLimit = await rules.isOverLimit(request);

  const body = await readText(request, { bytes: MAX_BODY_BYTES, milliseconds: BODY_DEADLINE_MS });
  if (body.status !== "read") return UNREAD[body.status];
  const form = knownFields(body.text, rules.fields);
  if (form === undefined) return MALFORMED;
  if (origin === "unknown" && !(await rules.vouches(form))) return FOREIGN;
  return { form, isOverLimit };
}

/** Sec-Fetch-Site where the browser sends it, else Origin, else nobody knows. */
function judgeOrigin(request: Request, url: URL): "own" | "foreign" | "unknown" {
  const site = request.headers.get("Sec-Fetch-Site");
  const origin = request.headers.get("Origin");
  if (origin !== null && origin !== url.origin) return "foreign";
  if (site !== null) return site === "same-origin" || site === "none" ? "own" : "foreign";
  if (origin !== null) return "own";
  const referer = request.headers.get("Referer");
  return referer === null || (URL.canParse(referer) && new URL(referer).origin === url.origin) ? "unknown" : "foreign";
}

function isUrlEncoded(request: Request): boolean {
  const type = request.headers.get("Content-Type") ?? "";
  return /^application\/x-www-form-urlencoded\s*(;|$)/i.test(type);
}

/** Undefined for a body with too many fields or one that repeats a known one. */
function knownFields(body: string, names: readonly string[]): PostedForm | undefined {
  if (body.split("&", MAX_FIELDS + 1).length > MAX_FIELDS) return undefined;
  const form: Record<string, string> = {};
  let repeats = false;
  new URLSearchParams(body).forEach((value, name) => {
    if (!names.includes(name)) return;
    repeats ||= form[name] !== undefined;
    form[name] = value;
  });
  return repeats ? undefined : form;
}

/**
 * A form as Remix gets it. Of the headers only the cookie is left: Remix would believe an X-Forwarded-Host that anyone can
 * send, and answer an Origin that it cannot read with an error.
 */
export function formRequest({ url, headers, signal }: Request): Request {
  const cookie = headers.get("Cookie");
  return new Request(url, { method: "POST", headers: cookie === null ? {} : { Cookie: cookie }, signal });
}

const NOT_FOUND: Refusal = { status: 404, title: "Not found", message: "There is no such page." };
const TOO_LONG: Refusal = {
  status: 414,
  title: "Address too long",
  message: "There is no page with so long an address.",
};
const FOREIGN: Refusal = {
  status: 403,
  title: "Request refused",
  message: "This form was not sent from our site. Please open the sign-up page again and send it from there.",
};
const UNSUPPORTED: Refusal = {
  status: 415,
  title: "Unsupported form",
  message: "The form could not be read. Please open the sign-up page again and send it from there.",
};
const TOO_LARGE: Refusal = {
  status: 413,
  title: "Too much data",
  message: "The form holds more than we can take. Please shorten your entries and try again.",
};
const TOO_SLOW: Refusal = {
  status: 408,
  title: "Request timed out",
  message: "The form did not arrive in time. Please check your connection and try again.",
};
const MALFORMED: Refusal = {
  status: 400,
  title: "Malformed request",
  message: "The request could not be read. Please open the sign-up page again and send the form from there.",
};
const UNREAD = { "too long": TOO_LARGE, "too slow": TOO_SLOW, "broken off": MALFORMED };
const TOO_MANY: Refusal = {
  status: 429,
  title: "Too many requests",
  message: "Please wait a moment and try again.",
  headers: { "Retry-After": RETRY_AFTER_SECONDS },
};

/** For what nobody expected, where the page itself cannot say it. */
export const FAILED: Refusal = {
  status: 500,
  title: "Unexpected Application Error",
  message: "Something went wrong on our side. Please try again; if it happens again, tell us the request id.",
};

/** @param allowed what `Allow` says (RFC 9110, section 15.5.6) */
export function methodNotAllowed(allowed: string): Refusal {
  return {
    status: 405,
    title: "Method not allowed",
    message: "This address cannot be used in this way.",
    headers: { Allow: allowed },
  };
}
