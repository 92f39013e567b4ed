import { describe, expect, test } from "vitest";
import { smallSite } from "./small-site";

/* Answers that the pipeline gives itself: without a page, without a body, or after an error. */

describe("a conditional request", () => {
  const REVALIDATED = "public, max-age=0, must-revalidate";

  test.each([
    { condition: "the page's ETag", header: (etag: string) => etag },
    { condition: "the page's ETag, which a proxy weakened", header: (etag: string) => `W/${etag}` },
    { condition: "several ETags with the page's", header: (etag: string) => `"other", ${etag}` },
    { condition: "any ETag", header: () => " * " },
  ])("that names $condition gets a 304 without a body", async ({ header }) => {
    const { ask } = smallSite();
    const etag = (await ask("/pricing")).headers.get("ETag") ?? "";
    const answer = await ask("/pricing", { headers: { "If-None-Match": header(etag) } });
    expect(answer).toHaveStatus(304);
    expect(answer).toHaveHeader("ETag", etag);
    expect(answer).toHaveHeader("Cache-Control", REVALIDATED);
    expect(answer).not.toHaveHeader("Content-Type");
    expect(await answer.text()).toBe("");
  });

  test.each([
    { condition: "another ETag", header: () => '"other"' },
    { condition: "the page's ETag without its quotes", header: (etag: string) => etag.replaceAll('"', "") },
  ])("that names $condition gets the page", async ({ header }) => {
    const { ask } = smallSite();
    const page = await ask("/pricing");
    const etag = page.headers.get("ETag") ?? "";
    const answer = await ask("/pricing", { headers: { "If-None-Match": header(etag) } });
    expect(answer).toHaveStatus(200);
    expect(answer).toHaveHeader("ETag", etag);
    expect(answer).toHaveHeader("Cache-Control", REVALIDATED);
    expect(await answer.text()).toBe(await page.text());
  });
});

describe("a HEAD", () => {
  const headersOf = ({ headers }: Response) => {
    const shared = [...headers].filter(([name]) => name !== "x-request-id" && name !== "content-security-policy");
    return Object.fromEntries(shared);
  };

  test.each(["/pricing", "/subscription?edit", "/nothing", "/PRICING", "/subscription.data"])(
    "of %s has a GET's status and headers, and no body",
    async (path) => {
      const { ask } = smallSite();
      const get = await ask(path);
      const head = await ask(path, { method: "HEAD" });
      expect(head).toHaveStatus(get.status);
      expect(headersOf(head)).toEqual(headersOf(get));
      expect(head.headers.has("Content-Security-Policy")).toBe(get.headers.has("Content-Security-Policy"));
      expect(await head.text()).toBe("");
    },
  );
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

describe("a request ID", () => {
  const idFor = async (headers: Record<string, string>) =>
    (await smallSite().ask("/pricing", { headers })).headers.get("X-Request-Id");
  const UUID = /^[\da-f-]{36}$/;

  test.each(["8f3-FRA", "a".repeat(64)])("is Cloudflare's ray: %s", async (ray) => {
    expect(await idFor({ "CF-Ray": ray })).toBe(ray);
  });

  test.each(["a".repeat(65), "not an id"])("is a new UUID if the ray is implausible: %s", async (ray) => {
    expect(await idFor({ "CF-Ray": ray })).toMatch(UUID);
  });

  test("is a new UUID without a ray, and never the visitor's choice", async () => {
    expect(await idFor({ "X-Request-Id": "chosen-by-the-visitor" })).toMatch(UUID);
  });

  test("is the same in the answer and in the log", async () => {
    const { ask, requests } = smallSite();
    const answer = await ask("/pricing");
    expect(answer).toHaveHeader("X-Request-Id", String(requests()[0]?.request_id));
  });
});

test("no cache stores a response with a cookie, whatever its route says", async () => {
  const { ask, thrown } = smallSite();
  const headers = { "Set-Cookie": "one-visitor=1", "Cache-Control": "public, max-age=60" };
  thrown.set("health", new Response("", { headers }));
  expect(await ask("/health")).toHaveHeader("Cache-Control", "no-store");
});

describe.each([
  { route: "form", path: "/subscription?edit", shows: "<h1>Error page</h1>" },
  { route: "health", path: "/health", shows: "<h1>Unexpected Application Error</h1><p>Request ID: this-request</p>" },
])("an error of the route $route", ({ route, path, shows }) => {
  const failingSite = () => {
    const site = smallSite();
    site.thrown.set(route, new RangeError("of ada@example.com"));
    return { ...site, failed: () => site.ask(path, { headers: { "CF-Ray": "this-request" } }) };
  };

  test("gets its own page, which is not cached", async () => {
    const answer = await failingSite().failed();
    expect(answer).toHaveStatus(500);
    expect(answer).toHaveHeader("Cache-Control", "no-store");
    expect(answer).toHaveHeader("Content-Security-Policy", /default-src 'none'/);
    expect(await answer.text()).toContain(shows);
  });

  test("is logged once, by its name", async () => {
    const { failed, logged } = failingSite();
    await failed();
    const linesOf = (name: string) => logged.filter(({ event }) => event === name);
    expect(linesOf("unexpected")).toMatchObject([{ error: "RangeError" }]);
    expect(linesOf("request")).toMatchObject([{ method: "GET", status: 500, outcome: "failed" }]);
  });

  test("shows its message neither to the visitor nor in the log", async () => {
    const { failed, logged } = failingSite();
    const html = await (await failed()).text();
    expect(html).not.toContain("ada@");
    expect(JSON.stringify(logged)).not.toContain("ada@");
  });
});
