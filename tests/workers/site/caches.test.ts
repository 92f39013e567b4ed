import { afterAll, expect, test } from "vitest";
import { type Answer, fields } from "../../support/visitors/site-visitor";
import { startVisitedSite } from "../../support/visitors/visited-site";

/* The built Worker's pages from memory; the rules are in tests/unit/pipeline/caches.test.ts. */

const { site, visitor, dispose } = await startVisitedSite();
afterAll(dispose);

const MARKDOWN = { Accept: "text/markdown" };
const PLAN = `/subscription/${fields.package_id}`;
const shown = ({ status, headers, body }: Answer) => ({
  status,
  headers: [...headers].filter(([name]) => !/^(x-request-id|date|set-cookie)$/.test(name)),
  body,
});

const PAGES = ["/", "/pricing", "/privacy", "/terms", "/security", "/subscription", PLAN, "/nothing", "/pricing.md"];
const FILES = ["/robots.txt", "/sitemap.xml", "/llms.txt", "/site.webmanifest", "/.well-known/security.txt"];

test.each([
  ...[...PAGES, ...FILES].map((path) => ({ path, headers: {} })),
  ...["/pricing", "/nothing"].map((path) => ({ path, headers: MARKDOWN })),
])(
  "the second answer to $path with $headers equals the first, and is not rendered again",
  async ({ path, headers }) => {
    const first = await visitor.get(path, headers);
    const second = await visitor.get(path, { ...headers, Cookie: "other=1", "User-Agent": "another" });
    expect(shown(second)).toEqual(shown(first));
    const id = second.headers.get("X-Request-Id");
    const linesOfSecond = () => site.logs.filter(({ request_id }) => request_id === id).map(({ event }) => event);
    await expect.poll(linesOfSecond).toContain("request");
    expect(linesOfSecond()).toEqual(["request"]);
  },
);

test("a public page is revalidated by its ETag, in each format by its own", async () => {
  const etag = (await visitor.get("/pricing")).headers.get("ETag") ?? "";
  for (const [headers, status] of [
    [{}, 304],
    [MARKDOWN, 200],
  ] as const) {
    const answer = await visitor.get("/pricing", { ...headers, "If-None-Match": etag });
    expect([answer.status, answer.body === "", answer.headers.get("Vary")]).toEqual([status, status === 304, "Accept"]);
  }
});
