import { afterEach, describe, expect, test } from "vitest";
import { faults, smallSite } from "./small-site";

/* Answers of the pipeline's own: without a page, without a body, without luck. */

afterEach(() => faults.clear());

describe("a conditional request", () => {
  test.each<[condition: (etag: string) => string, status: number]>([
    [(etag) => etag, 304],
    [(etag) => `W/${etag}`, 304],
    [(etag) => `"other", ${etag}`, 304],
    [() => " * ", 304],
    [() => '"other"', 200],
    [(etag) => etag.replaceAll('"', ""), 200],
  ])("gets a 304 only if it names the page", async (condition, status) => {
    const { ask } = smallSite();
    const page = await ask("/pricing");
    const etag = page.headers.get("ETag") ?? "";
    const answer = await ask("/pricing", { headers: { "If-None-Match": condition(etag) } });
    expect([answer.status, (await answer.text()) === ""]).toEqual([status, status === 304]);
    expect([answer.headers.get("ETag"), answer.headers.get("Content-Type")]).toEqual([
      etag,
      status === 304 ? null : page.headers.get("Content-Type"),
    ]);
    expect(answer.headers.get("Cache-Control")).toBe("public, max-age=0, must-revalidate");
  });
});

test.each(["/pricing", "/subscription?edit", "/health", "/nothing", "/PRICING", "/subscription.data"])(
  "a HEAD of %s has the headers of a GET and no body",
  async (path) => {
    const { ask } = smallSite();
    const headersOf = ({ headers }: Response) =>
      [...headers].map(([name, value]) => (/^(x-request-id|content-security-policy)$/.test(name) ? name : value));
    const [get, head] = [await ask(path), await ask(path, { method: "HEAD" })];
    expect([head.status, headersOf(head), await head.text()]).toEqual([get.status, headersOf(get), ""]);
  },
);

test.each([
  ["GET", 301],
  ["HEAD", 301],
  ["POST", 303],
  ["PUT", 303],
])("a %s over http gives %i to the same URL over https, and is not cached", async (method, status) => {
  const { ask } = smallSite();
  const answer = await ask("http://www.site.example/subscription?id=1", { method });
  expect([answer.status, answer.headers.get("Location")]).toEqual([
    status,
    "https://www.site.example/subscription?id=1",
  ]);
  expect([answer.headers.get("Cache-Control"), answer.headers.has("Strict-Transport-Security")]).toEqual([
    "no-store",
    false,
  ]);
});

test.each<[cfRay: string | undefined, id: RegExp]>([
  ["8f3-FRA", /^8f3-FRA$/],
  [undefined, /^[\da-f-]{36}$/],
  ["not an id", /^[\da-f-]{36}$/],
  ["a".repeat(65), /^[\da-f-]{36}$/],
])("a request with the CF-Ray %j is logged and answered with the ID %s", async (cfRay, id) => {
  const { ask, requests } = smallSite();
  const headers = { "X-Request-Id": "chosen-by-the-visitor", ...(cfRay && { "CF-Ray": cfRay }) };
  const answer = await ask("/pricing", { headers });
  expect(answer.headers.get("X-Request-Id")).toMatch(id);
  expect(requests()[0]?.request_id).toBe(answer.headers.get("X-Request-Id"));
});

test("no cache stores a response with a cookie, whatever its route says", async () => {
  const { ask } = smallSite();
  faults.set("health", () => {
    throw new Response("", { headers: { "Set-Cookie": "of=one-visitor", "Cache-Control": "public, max-age=60" } });
  });
  expect((await ask("/health")).headers.get("Cache-Control")).toBe("no-store");
});

describe("an error", () => {
  const thrower = () => {
    throw new RangeError("of ada@example.com");
  };

  test.each([
    ["form", "/subscription?edit", "Error page"],
    ["health", "/health", "Unexpected Application Error"],
  ])("of the route %s is a page without its message, and logged by its name", async (route, path, words) => {
    const { ask, logged } = smallSite();
    faults.set(route, thrower);
    const answer = await ask(path);
    const html = await answer.text();
    expect([answer.status, answer.headers.get("Cache-Control")]).toEqual([500, "no-store"]);
    expect(html).toContain(words);
    expect(html + JSON.stringify(logged)).not.toContain("ada@");
    expect(logged).toContainEqual(expect.objectContaining({ event: "unexpected", error: "RangeError" }));
    expect(logged.at(-1)).toMatchObject({ event: "request", status: 500, outcome: "failed" });
  });

  test("that leaves no page to render shows the request ID", async () => {
    const { ask } = smallSite();
    faults.set("health", thrower);
    const answer = await ask("/health", { headers: { "CF-Ray": "this-request" } });
    expect(await answer.text()).toContain("<h1>Unexpected Application Error</h1><p>Request ID: this-request</p>");
    expect(answer.headers.get("Content-Security-Policy")).toContain("default-src 'none'");
  });
});
