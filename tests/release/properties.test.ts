import naughtyStrings from "big-list-of-naughty-strings/blns.json" with { type: "json" };
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { type RawRequest, sendRaw } from "../support/visitors/raw-request";
import { fields, formHeaders, logged, PASSWORD, SECRET } from "../support/visitors/site-visitor";
import { startVisitedSite } from "../support/visitors/visited-site";

/*
 * What no input at all may do: make the site answer 5xx, run in a page, or get to the API past the contract. fast-check
 * prints the smallest input that does, with the seed that finds it again.
 */

const RUNS = { numRuns: 120, seed: 20_250_814, endOnFailure: true };
/** Requests at a time. */
const AT_ONCE = 8;

const { upstream, site, visitor, dispose } = await startVisitedSite();
upstream.answersJson(200, { client_secret: SECRET });
afterAll(dispose);
const own = formHeaders(site.url);

const anyText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 200 }),
  fc.string({ unit: "grapheme", maxLength: 200 }),
  fc.constantFrom(...naughtyStrings),
);
/** Characters that a header can have on the wire. */
const anyHeader = fc
  .string({ unit: fc.integer({ min: 0x20, max: 0xff }).map((code) => String.fromCharCode(code)), maxLength: 300 })
  .map((value) => value.replace(/\x7f/g, ""));
const knownName = fc.constantFrom(...Object.keys(fields), "form_nonce", "intent");

/** Without unpaired surrogates, which UTF-8 cannot encode. */
const wellFormed = (text: string) => text.replace(/\p{Cs}/gu, "\ufffd");
const encode = (pairs: [string, string][]) =>
  pairs.map((pair) => pair.map((part) => encodeURIComponent(wellFormed(part))).join("=")).join("&");

const post = (body: string | Uint8Array, path = "/subscription"): RawRequest => ({
  method: "POST",
  path,
  headers: own,
  body,
});
const anyPair = fc.tuple(fc.oneof(anyText, knownName), anyText);
const anyPiece = fc.oneof(
  fc.string({ unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)), maxLength: 40 }),
  anyText.map((value) => encodeURIComponent(wellFormed(value))),
  fc.constantFrom("subscription", "pricing", "..", "%2e%2e", "%00", "//", ".data", "_root.data", "__manifest"),
);
const headerName = fc.constantFrom(
  ...["Accept", "Accept-Encoding", "Accept-Language", "CF-Connecting-IP", "CF-Ray", "Content-Type", "Forwarded"],
  ...["If-Modified-Since", "If-None-Match", "Origin", "Range", "Referer", "Sec-Fetch-Mode", "Sec-Fetch-Site"],
  ...["X-Forwarded-Host", "X-Forwarded-Proto", "X-Remix-Revalidate"],
);

const REQUESTS: [what: string, requests: fc.Arbitrary<RawRequest>, allowed: number[]][] = [
  [
    "fields: names, values, known ones among them",
    fc
      .tuple(fc.array(anyPair, { maxLength: 40 }), fc.constantFrom("/subscription", "/subscription.data"))
      .map(([pairs, path]) => post(encode(pairs), path)),
    [202, 303, 400, 413, 422],
  ],
  [
    "values in a form that is otherwise right",
    fc
      .dictionary(knownName, anyText, { minKeys: 1, noNullPrototype: true })
      .map((change) => post(encode(Object.entries({ ...fields, ...change })))),
    [303, 413, 422],
  ],
  ["bytes as the body", fc.uint8Array({ maxLength: 2000 }).map((body) => post(body)), [400, 422]],
  [
    "cookies",
    fc
      .oneof(
        anyHeader,
        anyHeader.map((value) => `signup=${value}`),
        anyText.map((value) => `signup=${encodeURIComponent(wellFormed(value))}`),
        fc.uint8Array({ maxLength: 600 }).map((bytes) => `signup=${Buffer.from(bytes).toString("base64url")}`),
      )
      .map((cookie) => ({ path: "/subscription", headers: [["Cookie", cookie]] })),
    [200],
  ],
  [
    "paths and queries",
    fc
      .tuple(fc.array(anyPiece, { maxLength: 6 }), fc.option(anyPiece), fc.constantFrom("GET", "HEAD"))
      .map(([parts, query, method]) => ({ method, path: `/${parts.join("/")}${query === null ? "" : `?${query}`}` })),
    [200, 204, 303, 307, 308, 400, 404, 405, 414],
  ],
  [
    "headers of a page",
    fc.array(fc.tuple(headerName, anyHeader), { maxLength: 6 }).map((headers) => ({ path: "/subscription", headers })),
    [200],
  ],
  [
    "headers of a form",
    fc
      .array(fc.tuple(headerName, anyHeader), { maxLength: 6 })
      .map((headers) => ({ ...post(new URLSearchParams(fields).toString()), headers })),
    [303, 403, 415],
  ],
];

test.concurrent.each(REQUESTS)("arbitrary %s never get a 5xx or a redirect to another site", async (...given) => {
  const [, requests, allowed] = given;
  const property = fc.asyncProperty(requests, async (request) => {
    const { status, headers } = await sendRaw(site.url, request);
    expect(allowed).toContain(status);
    expect(headers.get("Location") ?? "/").toMatch(/^\/(?!\/)/);
  });
  await fc.assert(property, RUNS);
});

/** Runs `work` with each naughty string, several at a time. */
async function withEachNaughtyString(work: (naughty: string, index: number) => Promise<void>): Promise<void> {
  const entries = naughtyStrings.entries();
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (const [index, naughty] of entries) await work(naughty, index);
    }),
  );
}

describe("the Big List of Naughty Strings", () => {
  test("every field takes naughty strings without a 5xx, and returns them escaped or passes them to the API unchanged", async () => {
    // Each string goes through each field in turn, all fields at once.
    const names = ["full_name", "company_name", "email", "phone", "address", "city", "state", "zipCode", "country"];
    upstream.calls.length = 0;
    const scripts = scriptsIn((await visitor.submit({ email: "nobody" })).body);
    await withEachNaughtyString(async (naughty, index) => {
      const values = Object.fromEntries(names.map((name, at) => [name, naughtyStrings.at(index - at) ?? ""]));
      const { status, body } = await visitor.submit({ ...values, package_id: naughty });
      expect([naughty, status]).toEqual([naughty, 422]);
      const shown = inputsOf(body);
      for (const [name, value] of Object.entries(values)) {
        // An input holds one line: browsers drop line breaks when they read the attribute.
        expect([name, oneLine(shown[name] ?? "")]).toEqual([name, oneLine(value)]);
      }
      expect([naughty, scriptsIn(body)]).toEqual([naughty, scripts]);
    });
    expect(upstream.calls).toHaveLength(0);
  });

  test("a naughty string as a password is refused with its message, or reaches the API byte for byte", async () => {
    upstream.calls.length = 0;
    await withEachNaughtyString(async (naughty, index) => {
      const password = `aA1!aA1!${naughty}`;
      const email = `naughty-${index}@example.com`;
      const { status, text } = await visitor.submit({ email, password, confirmPassword: password });
      if (status === 303) {
        const call = upstream.calls.find(({ body }) => body.includes(`"${email}"`));
        expect(JSON.parse(call?.body ?? "{}").password).toBe(password);
      } else {
        const message = expect.stringMatching(/Password (must (be at most|contain)|contains)/);
        expect([naughty, text]).toEqual([naughty, message]);
      }
    });
    expect(upstream.calls.length).toBeGreaterThan(300);
  });
});

test("no arbitrary or naughty input got a 5xx, and the log quotes none of it but unknown paths", async () => {
  const count = () => site.logs.filter(({ event }) => event === "request").length;
  await expect.poll(count, { timeout: 10_000 }).toBeGreaterThan(1_500);
  expect(site.logs.filter(({ status }) => Number(status) >= 500)).toEqual([]);
  const withoutPaths = site.logs.map((line) => (line.status === 404 ? { ...line, path: "" } : line));
  expect(logged({ ...site, logs: withoutPaths })).not.toMatch(/S3ntinel|Lovelace|seti_|alert\(|onerror|DROP TABLE/i);
  expect(visitor.received.filter((answer) => answer.includes(PASSWORD.trim()))).toEqual([]);
});

/** Number of script tags in a page. */
function scriptsIn(html: string): number {
  return html.match(/<script/gi)?.length ?? 0;
}

/** The values of a page's inputs, by name, with their character references resolved. */
function inputsOf(html: string): Record<string, string> {
  const inputs: Record<string, string> = {};
  for (const [, attributes = ""] of html.matchAll(/<input ([^>]*)\/>/g)) {
    const name = /\bname="([^"]*)"/.exec(attributes)?.[1] ?? "";
    inputs[name] = (/\bvalue="([^"]*)"/.exec(attributes)?.[1] ?? "")
      .replaceAll("&lt;", "<")
      .replaceAll("&gt;", ">")
      .replaceAll("&quot;", '"')
      .replaceAll("&#x27;", "'")
      .replaceAll("&amp;", "&");
  }
  return inputs;
}

function oneLine(value: string): string {
  return value.replace(/[\r\n\0\ufffd]/g, "");
}
