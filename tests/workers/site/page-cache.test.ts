import { afterAll, describe, expect, test } from "vitest";
import { type Answer, siteVisitor } from "../../support/visitors/site-visitor";
import { startVisitedSite } from "../../support/visitors/visited-site";
import { startSite } from "../../support/workers/workers";

/* Public pages are kept in memory: made once, right for everyone, and never with anything of one visitor. */

const PAGES = ["/", "/pricing", "/privacy", "/terms", "/security"];
const FILES = ["/robots.txt", "/sitemap.xml", "/llms.txt", "/site.webmanifest", "/.well-known/security.txt"];
const MARKDOWN = { Accept: "text/markdown" };

const { site, visitor, dispose } = await startVisitedSite();
afterAll(dispose);

const etagOf = ({ headers }: Answer) => headers.get("ETag") ?? "";

/** The pages and files that were made so far, once the log has everything of the requests so far. */
async function made(): Promise<string[]> {
  const id = crypto.randomUUID();
  await visitor.get("/health", { "CF-Ray": id });
  await expect.poll(() => site.logs).toContainEqual(expect.objectContaining({ event: "request", request_id: id }));
  return site.logs
    .filter(({ event }) => event === "page_rendered")
    .map(({ route, format }) => `${route} ${format}`)
    .sort();
}

test.each([
  [304, "its ETag", (etag: string) => etag],
  [304, "its ETag made weak by a compressing cache", (etag: string) => `W/${etag}`],
  [304, "a list with it", (etag: string) => `"other", ${etag}, W/"third"`],
  [304, "any", () => "*"],
  [200, "another one", () => '"other"'],
  [200, "nothing", () => ""],
  [200, "no ETag", () => "other"],
  [200, "a list without it", () => 'W/"other", "third"'],
])("%i is the response to a browser with %s, also for a HEAD", async (status, _, condition) => {
  const page = await visitor.get("/");
  expect(etagOf(page)).toMatch(/^"[^"]+"$/);
  const sent = { "If-None-Match": condition(etagOf(page)) };
  const answer = await visitor.get("/", sent);
  expect([answer.status, answer.body]).toEqual([status, status === 200 ? page.body : ""]);
  for (const name of ["ETag", "Cache-Control", "Vary", "Content-Security-Policy", "X-Content-Type-Options"]) {
    expect(answer.headers.get(name), name).toBe(page.headers.get(name));
  }
  expect((await visitor.head("/", sent)).status).toBe(status);
});

test.each([...PAGES, ...FILES])("%s is revalidated each time; a HEAD has its headers and no body", async (path) => {
  const page = await visitor.get(path);
  expect(page.headers.get("Cache-Control")).toBe("public, max-age=0, must-revalidate");
  const head = await visitor.head(path);
  expect([head.status, head.body]).toEqual([200, ""]);
  for (const name of ["ETag", "Content-Type", "Content-Security-Policy"]) {
    expect(head.headers.get(name), name).toBe(page.headers.get(name));
  }
  const known = await visitor.get(path, { "If-None-Match": etagOf(page) });
  expect([known.status, known.body]).toEqual([304, ""]);
});

test.each(PAGES)("%s in Markdown is a separate response with its own ETag", async (path) => {
  const [page, markdown] = [await visitor.get(path), await visitor.get(path, MARKDOWN)];
  expect(markdown.headers.get("Content-Type")).toContain("text/markdown");
  expect(etagOf(markdown)).not.toBe(etagOf(page));
  for (const { headers } of [page, markdown]) expect(headers.get("Vary")).toContain("Accept");
  const crossed = await visitor.get(path, { ...MARKDOWN, "If-None-Match": etagOf(page) });
  expect([crossed.status, crossed.body]).toEqual([200, markdown.body]);
  const known = await visitor.get(path, { ...MARKDOWN, "If-None-Match": etagOf(markdown) });
  expect([known.status, known.body]).toEqual([304, ""]);
});

test("each public page is rendered twice, each file once, and queries and unknown paths render nothing", async () => {
  for (const path of [...PAGES, ...FILES]) {
    await visitor.get(path);
    await visitor.get(path, MARKDOWN);
  }
  const before = await made();
  expect(before).toHaveLength(2 * PAGES.length + FILES.length);
  expect(new Set(before).size).toBe(before.length);
  const page = await visitor.get("/pricing");
  for (const query of ["?a=1", "?utm_source=<script>", "?index", "?__proto__=1", `?${"q".repeat(4000)}`]) {
    const other = await visitor.get(`/pricing${query}`);
    expect([other.status, etagOf(other), other.body]).toEqual([200, etagOf(page), page.body]);
  }
  for (let index = 0; index < 5; index += 1) {
    const { status, headers } = await visitor.get(`/nothing-${index}`);
    expect([status, headers.has("ETag")]).toEqual([404, false]);
  }
  expect(await made()).toEqual(before);
});

describe("cached pages", () => {
  const MARK = "zq7sentinel";
  const marked = {
    Host: `${MARK}.localhost`,
    Cookie: `signup=${MARK}; other=${MARK}`,
    "CF-Ray": MARK,
    "User-Agent": MARK,
    Referer: `https://${MARK}.example/`,
    "Accept-Language": MARK,
    "X-Forwarded-Host": `${MARK}.example`,
    "CF-Connecting-IP": "203.0.113.77",
  };

  test("contain nothing of the visitor who caused them, in HTML or Markdown [D8]", async () => {
    const unvisited = await startSite();
    const fresh = siteVisitor(unvisited);
    for (const path of [...PAGES, "/index.md", "/pricing.md"]) {
      const first = await fresh.get(`${path}?${MARK}=1`, marked);
      const second = await fresh.get(path);
      expect(first.headers.get("X-Request-Id")).toBe(MARK);
      expect(second.status).toBe(200);
      expect([path, second.body]).toEqual([path, first.body]);
      expect(second.headers.has("Set-Cookie")).toBe(false);
      expect(second.headers.get("Content-Security-Policy")).not.toContain("nonce-");
      const everything = [...second.headers].join("\n") + second.body;
      expect(everything).not.toContain(MARK);
      expect(everything).not.toContain("203.0.113.77");
    }
    await unvisited.dispose();
  });
});
