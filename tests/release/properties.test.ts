import naughtyStrings from "big-list-of-naughty-strings/blns.json" with { type: "json" };
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { type RawRequest, sendRaw } from "../support/visitors/raw-request";
import { fields, formHeaders, logged, SECRET } from "../support/visitors/site-visitor";
import { startVisitedSite } from "../support/visitors/visited-site";

/*
 * What no input at all may do: make the site answer 5xx, run in a page, or get to the API past the contract. fast-check
 * prints the smallest input that does, with the seed that finds it again.
 */

const RUNS = { numRuns: 120, seed: 20_250_814, endOnFailure: true };

const { upstream, site, visitor, dispose } = await startVisitedSite();
upstream.answersJson(200, { client_secret: SECRET });
afterAll(dispose);
const own: [string, string][] = [...formHeaders(site.url), ["Cookie", "form=a-nonce-of-22-letters-"]];

const anyText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 200 }),
  fc.string({ unit: "grapheme", maxLength: 200 }),
  fc.constantFrom(...naughtyStrings),
);
/** Characters that a header can have on the wire. */
const anyHeader = fc
  .string({ unit: fc.integer({ min: 0x20, max: 0xff }).map((code) => String.fromCharCode(code)), maxLength: 300 })
  .map((value) => value.replace(/\x7f/g, ""));
const knownName = fc.constantFrom(...Object.keys(fields), "intent", "sign_up");

/** Without unpaired surrogates, which UTF-8 cannot encode. */
const encoded = (text: string) => encodeURIComponent(text.replace(/\p{Cs}/gu, "\ufffd"));
const encode = (pairs: [string, string][]) => pairs.map((pair) => pair.map(encoded).join("=")).join("&");
const post = (body: string | Uint8Array, path = "/subscription"): RawRequest => {
  return { method: "POST", path, headers: own, body };
};
const anyPiece = fc.oneof(
  fc.string({ unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)), maxLength: 40 }),
  anyText.map(encoded),
  fc.constantFrom("subscription", "pricing", "..", "%2e%2e", "%00", "//", ".data", "_root.data", "__manifest"),
);
const headerName = fc.constantFrom(
  ...["Accept", "Accept-Encoding", "Accept-Language", "CF-Connecting-IP", "CF-Ray", "Content-Type", "Forwarded"],
  ...["If-Modified-Since", "If-None-Match", "Origin", "Range", "Referer", "Sec-Fetch-Mode", "Sec-Fetch-Site"],
  ...["X-Forwarded-Host", "X-Forwarded-Proto", "X-Remix-Revalidate"],
);
const anyHeaders = fc.array(fc.tuple(headerName, anyHeader), { maxLength: 6 });

const REQUESTS: [what: string, requests: fc.Arbitrary<RawRequest>, allowed: number[]][] = [
  [
    "fields: names, values, known ones among them",
    fc
      .tuple(
        fc.array(fc.tuple(fc.oneof(anyText, knownName), anyText), { maxLength: 40 }),
        fc.constantFrom("/subscription", "/subscription.data"),
      )
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
        anyText.map((value) => `signup=${encoded(value)}`),
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
    [200, 204, 303, 307, 308, 400, 403, 404, 405, 414],
  ],
  ["headers of a page", anyHeaders.map((headers) => ({ path: "/subscription", headers })), [200]],
  [
    "headers of a form",
    anyHeaders.map((headers) => ({ ...post(new URLSearchParams(fields).toString()), headers })),
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

test("naughty strings in every field are escaped, or reach the API as they are", async () => {
  const names = ["full_name", "company_name", "email", "phone", "address", "city", "state", "zipCode", "country"];
  const scripts = scriptsIn((await visitor.submit({ email: "nobody" })).body);
  for (const [index, naughty] of naughtyStrings.entries()) {
    // Each string goes through each field in turn, all fields at once.
    const values = Object.fromEntries(names.map((name, at) => [name, naughtyStrings.at(index - at) ?? ""]));
    const { status, body } = await visitor.submit({ ...values, package_id: naughty });
    expect([naughty, status, scriptsIn(body)]).toEqual([naughty, 422, scripts]);
    const password = `aA1!aA1!${naughty}`;
    const email = `naughty-${index}@example.com`;
    const answer = await visitor.submit({ email, password, confirmPassword: password });
    const call = upstream.calls.find((one) => one.body.includes(`"${email}"`));
    if (answer.status === 303) expect(JSON.parse(call?.body ?? "{}").password).toBe(password);
    else expect(answer.text).toMatch(/Password (must (be at most|contain)|contains)/);
  }
  expect(upstream.calls.length).toBeGreaterThan(300);
});

test("the log has no 5xx, and quotes no input but unknown paths", async () => {
  const last = await visitor.get("/nothing", { "CF-Ray": "the-last-one" });
  await expect.poll(() => logged(site)).toContain("the-last-one");
  expect(last.status).toBe(404);
  expect(site.logs.filter(({ status }) => Number(status) >= 500)).toEqual([]);
  const withoutPaths = site.logs.map((line) => (line.status === 404 ? { ...line, path: "" } : line));
  expect(logged({ ...site, logs: withoutPaths })).not.toMatch(/S3ntinel|Lovelace|seti_|alert\(|onerror|DROP TABLE/i);
});

/** Number of script tags in a page. */
function scriptsIn(html: string): number {
  return html.match(/<script/gi)?.length ?? 0;
}
