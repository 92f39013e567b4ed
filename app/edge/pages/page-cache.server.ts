import { uint8ArrayToHex } from "uint8array-extras";

/** A finished answer, as it is given again. */
interface KeptAnswer {
  body: ArrayBuffer;
  headers: Headers;
  /** Without what describes a body. */
  headersOf304: Headers;
  etag: string;
}

/** The lifetime of a request in the runtime: work that others wait for goes on when its visitor leaves. */
export interface Lifetime {
  waitUntil(work: Promise<unknown>): void;
}

/**
 * Keeps answers in the isolate's memory. Each is made once, however many ask for it at the same time, of nothing but its
 * key; one that is no success is not kept.
 */
export function answerCache() {
  const kept = new Map<string, KeptAnswer>();
  const beingMade = new Map<string, Promise<KeptAnswer | undefined>>();

  async function made(key: string, make: () => Promise<Response>): Promise<KeptAnswer | undefined> {
    try {
      const answer = await keep(make());
      if (answer) kept.set(key, answer);
      return answer;
    } catch {
      return undefined;
    } finally {
      beingMade.delete(key);
    }
  }

  return {
    /**
     * @param key whatever the answer depends on; the caller bounds how many there are
     * @param make makes the answer; called when there is none yet
     * @returns an answer to this request (200 or 304, with or without a body), at once where one is kept; undefined when
     * there is none to keep
     */
    answer(
      request: Request,
      key: string,
      make: () => Promise<Response>,
      lifetime: Lifetime,
    ): Response | Promise<Response | undefined> {
      const answer = kept.get(key);
      if (answer) return give(request, answer);
      let making = beingMade.get(key);
      if (!making) {
        making = made(key, make);
        beingMade.set(key, making);
        lifetime.waitUntil(making);
      }
      return making.then((finished) => finished && give(request, finished));
    },
  };
}

async function keep(making: Promise<Response>): Promise<KeptAnswer | undefined> {
  const response = await making;
  if (response.status !== 200) return undefined;
  const body = await response.arrayBuffer();
  const digest = await crypto.subtle.digest("SHA-256", body);
  const etag = `"${uint8ArrayToHex(new Uint8Array(digest, 0, 12))}"`;
  const headers = new Headers(response.headers);
  headers.set("ETag", etag);
  // Kept by browsers too, and asked for again each time: a release shows at once.
  headers.set("Cache-Control", "public, max-age=0, must-revalidate");
  const headersOf304 = new Headers(headers);
  for (const name of ["Content-Type", "Content-Length"]) headersOf304.delete(name);
  return { body, headers, headersOf304, etag };
}

function give(request: Request, { body, headers, headersOf304, etag }: KeptAnswer): Response {
  const condition = request.headers.get("If-None-Match");
  if (condition !== null && names(condition, etag)) return new Response(null, { status: 304, headers: headersOf304 });
  return new Response(request.method === "HEAD" ? null : body, { headers });
}

/** Whether an If-None-Match names this entity (RFC 9110, section 13.1.2; compared weakly). */
function names(condition: string, etag: string): boolean {
  return condition.split(",").some((candidate) => {
    const tag = candidate.trim();
    return tag === "*" || tag.replace(/^W\//, "") === etag;
  });
}
