import { request as open } from "node:http";
import naughtyStrings from "big-list-of-naughty-strings/blns.json" with { type: "json" };
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { fields, SECRET } from "../support/person";
import { formHeaders, NONCE } from "../support/visitors/site-visitor";
import { startVisitedSite } from "../support/visitors/visited-site";

/*
 * No input may make the site answer 5xx, redirect to another site or log personal data. If one does, fast-check prints the
 * smallest such input and the seed that finds it again.
 */

const { upstream, site, dispose } = await startVisitedSite();
upstream.answersJson(200, { client_secret: SECRET });
afterAll(dispose);

const charactersOf = (min: number, max: number) => fc.integer({ min, max }).map((code) => String.fromCharCode(code));
const anyText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 200 }),
  fc.string({ unit: "grapheme", maxLength: 200 }),
  fc.constantFrom(...naughtyStrings),
);
/** Characters that a header can have on the wire. */
const anyHeader = fc
  .string({ unit: charactersOf(0x20, 0xff), maxLength: 300 })
  .map((value) => value.replace(/\x7f/g, ""));
const knownName = fc.constantFrom(...Object.keys(fields), "intent", "sign_up");

/** Without unpaired surrogates, which UTF-8 cannot encode. */
const encoded = (text: string) => encodeURIComponent(text.replace(/\p{Cs}/gu, "\ufffd"));
const encode = (pairs: [string, string][]) => pairs.map((pair) => pair.map(encoded).join("=")).join("&");
const own: [string, string][] = Object.entries({ ...formHeaders(site.url), Cookie: `form=${NONCE}` });
const post = (body: string | Uint8Array, path = "/subscription"): RawRequest => {
  return { method: "POST", path, headers: own, body };
};
const form = new URLSearchParams(fields).toString();
const pairs = fc.array(fc.tuple(fc.oneof(anyText, knownName), anyText), { maxLength: 40 });
const formPath = fc.constantFrom("/subscription", "/subscription.data");
const anyCookie = fc.oneof(
  anyHeader,
  anyHeader.map((value) => `signup=${value}`),
  anyText.map((value) => `signup=${encoded(value)}`),
  fc.uint8Array({ maxLength: 600 }).map((bytes) => `signup=${Buffer.from(bytes).toString("base64url")}`),
);
const anyPiece = fc.oneof(
  fc.string({ unit: charactersOf(0x21, 0x7e), maxLength: 40 }),
  anyText.map(encoded),
  fc.constantFrom("subscription", "pricing", "..", "%2e%2e", "%00", "//", ".data", "_root.data", "__manifest"),
);
const target = fc
  .tuple(fc.array(anyPiece, { maxLength: 6 }), fc.option(anyPiece))
  .map(([parts, query]) => `/${parts.join("/")}${query === null ? "" : `?${query}`}`);
const headerName = fc.constantFrom(
  "Accept",
  "Accept-Encoding",
  "Accept-Language",
  "CF-Connecting-IP",
  "CF-Ray",
  "Content-Type",
  "Forwarded",
  "If-Modified-Since",
  "If-None-Match",
  "Origin",
  "Range",
  "Referer",
  "Sec-Fetch-Mode",
  "Sec-Fetch-Site",
  "X-Forwarded-Host",
  "X-Forwarded-Proto",
  "X-Remix-Revalidate",
);
const anyHeaders = fc.array(fc.tuple(headerName, anyHeader), { maxLength: 6 });
const someFields = fc.dictionary(knownName, anyText, { minKeys: 1, noNullPrototype: true });

test.concurrent.each<{ what: string; allowed: number[]; requests: fc.Arbitrary<RawRequest> }>([
  {
    what: "fields",
    allowed: [202, 303, 400, 413, 422],
    requests: fc.tuple(pairs, formPath).map(([all, path]) => post(encode(all), path)),
  },
  {
    what: "values of the form's fields",
    allowed: [303, 413, 422],
    requests: someFields.map((some) => post(encode(Object.entries({ ...fields, ...some })))),
  },
  {
    what: "bytes as a form",
    allowed: [400, 422],
    requests: fc.uint8Array({ maxLength: 2000 }).map((body) => post(body)),
  },
  {
    what: "cookies",
    allowed: [200],
    requests: anyCookie.map((cookie) => ({ path: "/subscription", headers: [["Cookie", cookie]] })),
  },
  {
    what: "paths and queries",
    allowed: [200, 204, 303, 307, 308, 400, 403, 404, 405, 414],
    requests: fc.record({ method: fc.constantFrom("GET", "HEAD"), path: target }),
  },
  {
    what: "headers of a page",
    allowed: [200],
    requests: anyHeaders.map((headers) => ({ path: "/subscription", headers })),
  },
  {
    what: "headers of a form",
    allowed: [303, 403, 415],
    requests: anyHeaders.map((headers) => ({ ...post(form), headers })),
  },
])("arbitrary $what never get a 5xx or a redirect to another site", async ({ allowed, requests }) => {
  const property = fc.asyncProperty(requests, async (request) => {
    const { status, location = "/" } = await sendRaw(site.url, request);
    expect(allowed, `the status ${status}`).toContain(status);
    expect(location, "a path of this site").toMatch(/^\/(?!\/)/);
  });
  await fc.assert(property, { numRuns: 120, seed: 20_250_814, endOnFailure: true });
});

/** A request as written on the wire, without the rules and changes of `fetch`. */
type RawRequest = {
  method?: string;
  path: string;
  headers?: [name: string, value: string][];
  body?: string | Uint8Array;
};

/** Sends a request to a Worker; fails when the connection breaks off without an answer. */
function sendRaw(url: string, { method = "GET", path, headers = [], body }: RawRequest) {
  const { port, host } = new URL(url);
  const sent = ["Host", host, "Connection", "close", ...headers.flat()];
  return new Promise<{ status: number; location: string | undefined }>((resolve, reject) => {
    const request = open({ host: "127.0.0.1", port, method, path, headers: sent, agent: false });
    request.on("response", (response) => {
      const { statusCode: status = 0, headers } = response;
      response.resume().on("close", () => resolve({ status, location: headers.location }));
      // After an early answer the rest of the request is unread, and the connection is reset.
      request.off("error", reject).on("error", () => {});
    });
    request.on("error", reject);
    request.end(body);
  });
}
