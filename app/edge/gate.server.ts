/** An answer of the gate instead of the site's: what the visitor reads, and why. */
export interface Refusal {
  status: 400 | 403 | 404 | 405 | 413 | 415;
  title: string;
  message: string;
  headers?: Record<string, string>;
}

export interface GateRules {
  /** Addresses that take a form; everything else is read only. */
  formPaths: RegExp;
  /** Field names that a form may have; all others are dropped. */
  fields: readonly string[];
  /** Whether a form that comes with neither Origin nor Sec-Fetch-Site carries this site's own fresh nonce. */
  vouches(fields: URLSearchParams): Promise<boolean>;
}

const MAX_BODY_BYTES = 16 * 1024;
const MAX_FIELDS = 32;
const MAX_PATH_LENGTH = 2048;

/**
 * What every request passes before Remix sees it (threats.md, sections A and B).
 * @returns the request that Remix may handle (a form's body read, bounded and reduced to its known fields), or a refusal
 */
export async function passGate(request: Request, rules: GateRules): Promise<Request | Refusal> {
  const url = new URL(request.url);
  if (!isSanePath(url.pathname)) return NOT_FOUND;
  if (request.method === "GET" || request.method === "HEAD") return request;
  const takesForm = rules.formPaths.test(url.pathname);
  if (request.method !== "POST" || !takesForm) return methodNotAllowed(takesForm);

  const origin = judgeOrigin(request, url);
  if (origin === "foreign") return FOREIGN;
  if (!isUrlEncoded(request)) return UNSUPPORTED;

  const body = await readBounded(request, MAX_BODY_BYTES);
  if (body === undefined) return TOO_LARGE;
  const fields = knownFields(body, rules.fields);
  if (fields === undefined) return MALFORMED;
  if (origin === "unknown" && !(await rules.vouches(fields))) return FOREIGN;

  const headers = new Headers(request.headers);
  headers.delete("Content-Length");
  // Remix compares Origin with this header, which anyone can send.
  headers.delete("X-Forwarded-Host");
  return new Request(request.url, { method: "POST", headers, body: fields, signal: request.signal });
}

/** Paths that decode, hide no separator or control character, and cannot be read as another host. */
function isSanePath(pathname: string): boolean {
  if (pathname.length > MAX_PATH_LENGTH || pathname.startsWith("//") || /%2f|%5c/i.test(pathname)) return false;
  try {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be in a path
    return !/[\u0000-\u001f\u007f\\]|^\/\//.test(decodeURIComponent(pathname));
  } catch {
    return false;
  }
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

async function readBounded(request: Request, limit: number): Promise<string | undefined> {
  if (Number(request.headers.get("Content-Length") ?? 0) > limit) return undefined;
  if (request.body === null) return "";
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = request.body.getReader();
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    size += read.value.byteLength;
    if (size > limit) {
      await reader.cancel();
      return undefined;
    }
    chunks.push(read.value);
  }
  return new Blob(chunks as BlobPart[]).text();
}

/** The fields that the site knows, each once; undefined for a body with too many fields or one that repeats a known one. */
function knownFields(body: string, names: readonly string[]): URLSearchParams | undefined {
  if (body.split("&", MAX_FIELDS + 1).length > MAX_FIELDS) return undefined;
  const known = new URLSearchParams();
  for (const [name, value] of new URLSearchParams(body)) {
    if (!names.includes(name)) continue;
    if (known.has(name)) return undefined;
    known.append(name, value);
  }
  return known;
}

const NOT_FOUND: Refusal = { status: 404, title: "Not found", message: "There is no such page." };
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
const MALFORMED: Refusal = {
  status: 400,
  title: "Malformed form",
  message: "The form could not be read. Please open the sign-up page again and send it from there.",
};

function methodNotAllowed(takesForm: boolean): Refusal {
  return {
    status: 405,
    title: "Method not allowed",
    message: "This address cannot be used in this way.",
    headers: { Allow: takesForm ? "GET, HEAD, POST" : "GET, HEAD" },
  };
}
