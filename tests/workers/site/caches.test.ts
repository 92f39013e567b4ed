import { afterAll, expect, test } from "vitest";
import { type Answer, fields } from "../../support/visitors/site-visitor";
import { startVisitedSite } from "../../support/visitors/visited-site";

/* The built Worker's pages from memory; the rules are in tests/unit/pipeline/caches.test.ts. */

const PAGES = ["/", "/pricing", "/privacy", "/terms", "/security"];
const FILES = ["/robots.txt", "/sitemap.xml", "/llms.txt", "/site.webmanifest", "/.well-known/security.txt"];
const FORMS = ["/subscription", `/subscription/${fields.package_id}`];

const { site, visitor, dispose } = await startVisitedSite();
afterAll(dispose);

const MARKDOWN = { Accept: "text/markdown" };
const requests: [path: string, headers: Record<string, string>][] = [
  ...[...PAGES, ...FILES, ...FORMS, "/nothing", "/pricing.md"].map((path): [string, Record<string, string>] => [
    path,
    {},
  ]),
  ["/pricing", MARKDOWN],
  ["/nothing", MARKDOWN],
];

const shown = ({ status, headers, body }: Answer) => ({
  status,
  headers: [...headers].filter(([name]) => !/^(x-request-id|date|set-cookie)$/.test(name)),
  body,
});

test.each(requests)(
  "the second answer to %s with %j equals the first, and is not rendered again",
  async (path, headers) => {
    const first = await visitor.get(path, headers);
    const rendered = () => site.logs.filter(({ event }) => event === "page_rendered").length;
    const settled = async (answer: Answer) => {
      const id = answer.headers.get("X-Request-Id");
      await expect
        .poll(() => site.logs.some(({ event, request_id }) => event === "request" && request_id === id))
        .toBe(true);
    };
    await settled(first);
    const before = rendered();
    const second = await visitor.get(path, { ...headers, Cookie: "other=1", "User-Agent": "another" });
    await settled(second);
    expect(shown(second)).toEqual(shown(first));
    expect(rendered()).toBe(before);
  },
);

test("a public page is revalidated by its ETag, in each format by its own", async () => {
  const [html, markdown] = [await visitor.get("/pricing"), await visitor.get("/pricing", MARKDOWN)];
  const etags = [html, markdown].map(({ headers }) => headers.get("ETag") ?? "");
  expect(new Set(etags).size).toBe(2);
  for (const [headers, status] of [
    [{}, 304],
    [MARKDOWN, 200],
  ] as const) {
    const answer = await visitor.get("/pricing", { ...headers, "If-None-Match": etags[0] ?? "" });
    expect([answer.status, answer.body === "", answer.headers.get("Vary")]).toEqual([status, status === 304, "Accept"]);
  }
});
