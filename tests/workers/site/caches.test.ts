import { afterAll, expect, test } from "vitest";
import { fields } from "../../support/person";
import type { Answer } from "../../support/visitors/site-visitor";
import { startVisitedSite } from "../../support/visitors/visited-site";

/* The built Worker's pages from memory; the rules are in tests/unit/pipeline/caches.test.ts. */

const { site, visitor, dispose } = await startVisitedSite();
afterAll(dispose);

const MARKDOWN = { Accept: "text/markdown" };
const shown = ({ status, headers, body }: Answer) => {
  const own = /^(x-request-id|date|set-cookie)$/;
  return [status, [...headers].filter(([name]) => !own.test(name)), body];
};

test.each([
  ...["/", "/pricing", "/privacy", "/terms", "/security", "/subscription", `/subscription/${fields.package_id}`],
  ...["/nothing", "/pricing.md", "/robots.txt", "/sitemap.xml", "/llms.txt", "/.well-known/security.txt"],
])("the second answer to %s equals the first, also in Markdown, and is not rendered again", async (path) => {
  for (const headers of [{}, MARKDOWN]) {
    const first = await visitor.get(path, headers);
    const second = await visitor.get(path, { ...headers, Cookie: "other=1", "User-Agent": "another" });
    expect(shown(second)).toEqual(shown(first));
    const id = second.headers.get("X-Request-Id");
    const linesOfSecond = () => site.logs.filter(({ request_id }) => request_id === id).map(({ event }) => event);
    await expect.poll(linesOfSecond).toContain("request");
    expect(linesOfSecond()).toEqual(["request"]);
  }
});

test("a page is revalidated by its ETag, in each format by its own", async () => {
  const etag = (await visitor.get("/pricing")).headers.get("ETag") ?? "";
  const formats = [{}, MARKDOWN].map((headers) => visitor.get("/pricing", { ...headers, "If-None-Match": etag }));
  expect((await Promise.all(formats)).map(({ status }) => status)).toEqual([304, 200]);
});
