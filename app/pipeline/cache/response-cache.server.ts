import { uint8ArrayToHex } from "uint8array-extras";
import type { ExecutionContext } from "../context.server";
import { memoize } from "./memoize.server";

interface KeptResponse {
  body: ArrayBuffer;
  headers: Headers;
  /** Undefined for the form, which a browser must not store: Back would show it in place of the card step. */
  validator?: { etag: string; notModifiedHeaders: Headers };
}

/** Caches responses with status 200 in memory. */
export function responseCache() {
  const keep = memoize<KeptResponse>();
  return {
    /** A response at once if it is cached; undefined if `make` gave no 200. The caller bounds the number of keys. */
    respond(
      request: Request,
      key: string,
      make: () => Promise<Response>,
      execution: ExecutionContext,
    ): Response | Promise<Response | undefined> {
      const kept = keep(key, async () => toKeep(await make()), execution);
      return kept instanceof Promise ? kept.then((made) => made && answer(request, made)) : answer(request, kept);
    },
  };
}

async function toKeep(response: Response): Promise<KeptResponse | undefined> {
  if (response.status !== 200 || response.headers.has("Set-Cookie")) return undefined;
  const body = await response.arrayBuffer();
  if (response.headers.get("Cache-Control") === "no-store") return { body, headers: new Headers(response.headers) };
  const digest = await crypto.subtle.digest("SHA-256", body);
  const etag = `"${uint8ArrayToHex(new Uint8Array(digest, 0, 12))}"`;
  const headers = new Headers(response.headers);
  headers.set("ETag", etag);
  // Browsers revalidate on each visit, so a release is visible at once.
  headers.set("Cache-Control", "public, max-age=0, must-revalidate");
  const notModifiedHeaders = new Headers(headers);
  for (const name of ["Content-Type", "Content-Length"]) notModifiedHeaders.delete(name);
  return { body, headers, validator: { etag, notModifiedHeaders } };
}

function answer(request: Request, { body, headers, validator }: KeptResponse): Response {
  const condition = request.headers.get("If-None-Match");
  if (validator && condition !== null && matches(condition, validator.etag)) {
    return new Response(null, { status: 304, headers: validator.notModifiedHeaders });
  }
  return new Response(request.method === "HEAD" ? null : body, { headers });
}

/** Weak comparison (RFC 9110, section 13.1.2). No tag of the list contains a quotation mark, so none contains this one. */
function matches(condition: string, etag: string): boolean {
  return condition.includes(etag) || condition.trim() === "*";
}
