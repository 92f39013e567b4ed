import { uint8ArrayToHex } from "uint8array-extras";
import type { ExecutionContext } from "../request-context.server";

interface KeptResponse {
  body: ArrayBuffer;
  headers: Headers;
  /** Without what describes a body. */
  headersOf304: Headers;
  etag: string;
}

/**
 * Responses in the isolate's memory. Each is made once, however many ask for it meanwhile; only a 200 is kept, and
 * whoever waited for anything else gets nothing.
 */
export function keptResponses() {
  const kept = new Map<string, KeptResponse>();
  const pending = new Map<string, Promise<KeptResponse | undefined>>();

  async function store(key: string, make: () => Promise<Response>): Promise<KeptResponse | undefined> {
    try {
      const response = await keep(await make());
      if (response) kept.set(key, response);
      return response;
    } catch {
      return undefined;
    } finally {
      pending.delete(key);
    }
  }

  return {
    /**
     * @param key whatever the response depends on; the caller bounds how many there are
     * @param make called when nothing is kept under the key, and nobody else is making it
     * @returns the kept response as an answer to this request (200 or 304, with or without a body)
     */
    respond(
      request: Request,
      key: string,
      make: () => Promise<Response>,
      execution: ExecutionContext,
    ): Response | Promise<Response | undefined> {
      const known = kept.get(key);
      if (known) return answer(request, known);
      let making = pending.get(key);
      if (!making) {
        making = store(key, make);
        pending.set(key, making);
        // Others wait for it too: it goes on when the first visitor leaves.
        execution.waitUntil(making);
      }
      return making.then((made) => made && answer(request, made));
    },
  };
}

async function keep(response: Response): Promise<KeptResponse | undefined> {
  if (response.status !== 200) return undefined;
  const body = await response.arrayBuffer();
  const digest = await crypto.subtle.digest("SHA-256", body);
  const etag = `"${uint8ArrayToHex(new Uint8Array(digest, 0, 12))}"`;
  const headers = new Headers(response.headers);
  headers.set("ETag", etag);
  // Browsers keep it too, and ask again each time: a release shows at once.
  headers.set("Cache-Control", "public, max-age=0, must-revalidate");
  const headersOf304 = new Headers(headers);
  for (const name of ["Content-Type", "Content-Length"]) headersOf304.delete(name);
  return { body, headers, headersOf304, etag };
}

function answer(request: Request, { body, headers, headersOf304, etag }: KeptResponse): Response {
  const condition = request.headers.get("If-None-Match");
  if (condition !== null && matches(condition, etag)) return new Response(null, { status: 304, headers: headersOf304 });
  return new Response(request.method === "HEAD" ? null : body, { headers });
}

/** Whether an If-None-Match names this entity (RFC 9110, section 13.1.2; compared weakly). */
function matches(condition: string, etag: string): boolean {
  return condition.split(",").some((candidate) => {
    const tag = candidate.trim();
    return tag === "*" || tag.replace(/^W\//, "") === etag;
  });
}
