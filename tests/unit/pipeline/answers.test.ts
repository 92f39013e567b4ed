import { expect, test } from "vitest";
import { headersOf, smallSite } from "./small-site";

/* Answers of the pipeline's own: without a page, without a body, without luck. */

test.each<[condition: (etag: string) => string, status: number]>([
  [(etag) => etag, 304],
  [(etag) => `W/${etag}`, 304],
  [(etag) => `"other", ${etag}`, 304],
  [() => " * ", 304],
  [() => '"other"', 200],
  [(etag) => etag.replaceAll('"', ""), 200],
])("a conditional request gets a 304 only if it names the page (%s: %i)", async (condition, status) => {
  const { ask } = smallSite();
  const page = await ask("/pricing");
  const etag = page.headers.get("ETag") ?? "";
  const answer = await ask("/pricing", { headers: { "If-None-Match": condition(etag) } });
  const isUnchanged = status === 304;
  const cached = [isUnchanged ? null : page.headers.get("Content-Type"), etag, "public, max-age=0, must-revalidate"];
  expect(headersOf(answer, "Content-Type", "ETag", "Cache-Control")).toEqual(cached);
  expect([answer.status, (await answer.text()) === ""]).toEqual([status, isUnchanged]);
});

const paths = ["/pricing", "/subscription?edit", "/nothing", "/PRICING", "/subscription.data"];
test.each(paths)("a HEAD of %s has the headers of a GET and no body", async (path) => {
  const { ask } = smallSite();
  const own = /^(x-request-id|content-security-policy)$/;
  const [get, head] = [await ask(path), await ask(path, { method: "HEAD" })];
  const [ofGet, ofHead] = [get, head].map(({ headers }) => [...headers].map((one) => (own.test(one[0]) ? "" : one)));
  expect([head.status, ofHead, await head.text()]).toEqual([get.status, ofGet, ""]);
});

test.each([
  ["GET", 301],
  ["HEAD", 301],
  ["POST", 303],
])("a %s over http gives %i to the same URL over https, and is not cached", async (method, status) => {
  const answer = await smallSite().ask("http://www.site.example/subscription?id=1", { method });
  const headers = headersOf(answer, "Location", "Cache-Control", "Strict-Transport-Security");
  expect([answer.status, ...headers]).toEqual([status, "https://www.site.example/subscription?id=1", "no-store", null]);
});

test.each<[cfRay: string | undefined, id: RegExp]>([
  ["8f3-FRA", /^8f3-FRA$/],
  ["a".repeat(64), /^a{64}$/],
  ["a".repeat(65), /^[\da-f-]{36}$/],
  ["not an id", /^[\da-f-]{36}$/],
  [undefined, /^[\da-f-]{36}$/],
])("a request with the CF-Ray %j is logged and answered with the ID %s", async (cfRay, id) => {
  const { ask, requests } = smallSite();
  const headers = { "X-Request-Id": "chosen-by-the-visitor", ...(cfRay && { "CF-Ray": cfRay }) };
  const answer = await ask("/pricing", { headers });
  expect(answer.headers.get("X-Request-Id")).toMatch(id);
  expect(requests()[0]?.request_id).toBe(answer.headers.get("X-Request-Id"));
});

test("no cache stores a response with a cookie, whatever its route says", async () => {
  const { ask, thrown } = smallSite();
  const headers = { "Set-Cookie": "of=one-visitor", "Cache-Control": "public, max-age=60" };
  thrown.set("health", new Response("", { headers }));
  expect((await ask("/health")).headers.get("Cache-Control")).toBe("no-store");
});

test.each([
  ["form", "/subscription?edit", "<h1>Error page</h1>"],
  ["health", "/health", "<h1>Unexpected Application Error</h1><p>Request ID: this-request</p>"],
])("an error of the route %s is a page without its message, and logged by its name", async (route, path, words) => {
  const { ask, logged, thrown } = smallSite();
  thrown.set(route, new RangeError("of ada@example.com"));
  const answer = await ask(path, { headers: { "CF-Ray": "this-request" } });
  const html = await answer.text();
  expect([answer.status, ...headersOf(answer, "Cache-Control")]).toEqual([500, "no-store"]);
  expect(answer.headers.get("Content-Security-Policy")).toContain("default-src 'none'");
  expect(html).toContain(words);
  expect(html + JSON.stringify(logged)).not.toContain("ada@");
  expect(logged).toContainEqual(expect.objectContaining({ event: "unexpected", error: "RangeError" }));
  expect(logged.at(-1)).toMatchObject({ event: "request", method: "GET", status: 500, outcome: "failed" });
});
