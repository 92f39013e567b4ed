import { expect, test } from "vitest";
import { smallSite } from "./small-site";

/* Answers that the pipeline gives itself: without a page, without a body, or after an error. */

test.each([
  { names: "the page's ETag", header: (etag: string) => etag, status: 304 },
  { names: "the page's ETag, which a proxy weakened", header: (etag: string) => `W/${etag}`, status: 304 },
  { names: "several ETags with the page's", header: (etag: string) => `"other", ${etag}`, status: 304 },
  { names: "any ETag", header: () => " * ", status: 304 },
  { names: "another ETag", header: () => '"other"', status: 200 },
  { names: "the ETag without its quotes", header: (etag: string) => etag.replaceAll('"', ""), status: 200 },
])("a condition that names $names is answered with $status, with a body only at 200", async ({ header, status }) => {
  const { ask } = smallSite();
  const page = await ask("/pricing");
  const etag = page.headers.get("ETag") ?? "";
  const answer = await ask("/pricing", { headers: { "If-None-Match": header(etag) } });
  expect(answer).toHaveStatus(status);
  expect(answer).toHaveHeaders({ ETag: etag, "Cache-Control": "public, max-age=0, must-revalidate" });
  expect(answer.headers.has("Content-Type"), "has a Content-Type").toBe(status === 200);
  expect(await answer.text()).toBe(status === 200 ? await page.text() : "");
});

/** Without the two that differ with each answer. */
const headersOf = ({ headers }: Response) =>
  Object.fromEntries([...headers].filter(([name]) => !/^(?:x-request-id|content-security-policy)$/.test(name)));

test("a HEAD has a GET's status and headers, and no body", async () => {
  const { ask } = smallSite();
  for (const path of ["/pricing", "/subscription?edit", "/nothing", "/PRICING", "/subscription.data"]) {
    const get = await ask(path);
    const head = await ask(path, { method: "HEAD" });
    expect(head).toHaveStatus(get.status);
    expect(headersOf(head), path).toEqual(headersOf(get));
    expect(head.headers.has("Content-Security-Policy"), path).toBe(get.headers.has("Content-Security-Policy"));
    expect(await head.text()).toBe("");
  }
});

test.each([
  // First the request that carries a password.
  { method: "POST", status: 303 },
  { method: "GET", status: 301 },
  { method: "HEAD", status: 301 },
])("a $method over http is redirected ($status) to the same URL over https, and is not cached", async (row) => {
  const answer = await smallSite().ask("http://www.site.example/subscription?id=1", { method: row.method });
  expect(answer).toRedirectTo("https://www.site.example/subscription?id=1", row.status);
  expect(answer).toHaveHeader("Cache-Control", "no-store");
  expect(answer, "browsers ignore it over http").not.toHaveHeader("Strict-Transport-Security");
});

const UUID = /^[\da-f-]{36}$/;

test.each([
  { from: "Cloudflare's ray", headers: { "CF-Ray": "a".repeat(64) }, id: "a".repeat(64) },
  { from: "a UUID, if the ray is too long", headers: { "CF-Ray": "a".repeat(65) }, id: UUID },
  { from: "a UUID, if the ray is not an ID", headers: { "CF-Ray": "not an id" }, id: UUID },
  { from: "a UUID, never the visitor's choice", headers: { "X-Request-Id": "chosen-by-the-visitor" }, id: UUID },
])("a request ID is $from, the same in the answer and in the log", async ({ headers, id }) => {
  const { ask, requests } = smallSite();
  const answer = await ask("/pricing", { headers: new Headers(Object.entries(headers)) });
  expect(answer).toHaveHeader("X-Request-Id", id);
  expect(answer).toHaveHeader("X-Request-Id", String(requests()[0]?.request_id));
});

test("no cache stores a response with a cookie, whatever its route says", async () => {
  const { ask, thrown } = smallSite();
  const headers = { "Set-Cookie": "one-visitor=1", "Cache-Control": "public, max-age=60" };
  thrown.set("health", new Response("", { headers }));
  expect(await ask("/health")).toHaveHeader("Cache-Control", "no-store");
});

test.each([
  { route: "form", path: "/subscription?edit", shows: "<h1>Error page</h1>" },
  { route: "health", path: "/health", shows: "<h1>Unexpected Application Error</h1><p>Request ID: this-request</p>" },
])("an error of the route $route gets a page that is not cached, and one line without its message", async (row) => {
  const { ask, thrown, logged, requests } = smallSite();
  thrown.set(row.route, new RangeError("of ada@example.com"));
  const answer = await ask(row.path, { headers: { "CF-Ray": "this-request" } });
  expect(answer).toHaveStatus(500);
  expect(answer).toHaveHeaders({ "Cache-Control": "no-store", "Content-Security-Policy": /default-src 'none'/ });
  const html = await answer.text();
  expect(html).toContain(row.shows);
  expect(logged.filter(({ event }) => event === "unexpected")).toMatchObject([{ error: "RangeError" }]);
  expect(requests()).toMatchObject([{ method: "GET", status: 500, outcome: "failed" }]);
  expect(html + JSON.stringify(logged)).not.toContain("ada@");
});
