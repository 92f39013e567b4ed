import { beforeAll, describe, expect, test } from "vitest";
import { type Answer, type SiteVisitor, siteVisitor } from "../../support/visitors/site-visitor";
import { type RunningWorker, startSite } from "../../support/workers/workers";

/* Public pages are kept in memory: made once, right for everyone, and never with anything of one visitor. */

const PAGES = ["/", "/pricing", "/privacy", "/terms"];
const FILES = ["/robots.txt", "/sitemap.xml", "/llms.txt", "/site.webmanifest"];
const MARKDOWN = { Accept: "text/markdown" };

let site: RunningWorker;
let visitor: SiteVisitor;

beforeAll(async () => {
  site = await startSite();
  visitor = siteVisitor(site);
  return site.dispose;
});

const pagesMade = ({ logs }: RunningWorker) => logs.filter(({ event }) => event === "page_rendered");

const etagOf = ({ headers }: Answer) => headers.get("ETag") ?? "";

/** Waits until the log has everything of the requests so far. */
async function logged(worker: RunningWorker): Promise<void> {
  const id = crypto.randomUUID();
  await siteVisitor(worker).get("/health", { "CF-Ray": id });
  await expect.poll(() => worker.logs).toContainEqual(expect.objectContaining({ event: "request", request_id: id }));
}

/** Does something, and gives the pages that were made for it. */
async function madeBy(work: () => Promise<unknown>): Promise<Record<string, unknown>[]> {
  await logged(site);
  const before = pagesMade(site).length;
  await work();
  await logged(site);
  return pagesMade(site).slice(before);
}

describe("a browser that has the page", () => {
  test.each([
    ["its ETag", (etag: string) => etag],
    ["its ETag made weak by a compressing cache", (etag: string) => `W/${etag}`],
    ["a list with it", (etag: string) => `"other", ${etag}, W/"third"`],
    ["any", () => "*"],
  ])("gets 304 for %s", async (_, condition) => {
    const page = await visitor.get("/");
    expect(etagOf(page)).toMatch(/^"[^"]+"$/);
    const { status, headers, body } = await visitor.get("/", { "If-None-Match": condition(etagOf(page)) });
    expect([status, body]).toEqual([304, ""]);
    for (const name of ["ETag", "Cache-Control", "Vary", "Content-Security-Policy", "X-Content-Type-Options"]) {
      expect(headers.get(name), name).toBe(page.headers.get(name));
    }
    expect(headers.get("Content-Type")).toBeNull();
  });

  test.each(['"other"', "", "other", 'W/"other", "third"'])("gets the page for %j", async (condition) => {
    const { status, body } = await visitor.get("/", { "If-None-Match": condition });
    expect(status).toBe(200);
    expect(body).toContain("</html>");
  });

  test("gets 304 to HEAD too", async () => {
    const etag = etagOf(await visitor.get("/"));
    expect((await visitor.head("/", { "If-None-Match": etag })).status).toBe(304);
  });

  test("asks again each time: a release shows at once", async () => {
    expect((await visitor.get("/")).headers.get("Cache-Control")).toBe("public, max-age=0, must-revalidate");
  });
});

test.each(PAGES)("HEAD of %s has the headers of GET and no body", async (path) => {
  const page = await visitor.get(path);
  const head = await visitor.head(path);
  expect([head.status, head.body]).toEqual([200, ""]);
  for (const name of ["ETag", "Content-Type", "Content-Security-Policy"]) {
    expect(head.headers.get(name), name).toBe(page.headers.get(name));
  }
});

test.each(PAGES)("%s in Markdown is another answer with an ETag of its own", async (path) => {
  const [page, markdown] = [await visitor.get(path), await visitor.get(path, MARKDOWN)];
  expect(markdown.headers.get("Content-Type")).toContain("text/markdown");
  expect(etagOf(markdown)).not.toBe(etagOf(page));
  for (const { headers } of [page, markdown]) expect(headers.get("Vary")).toContain("Accept");
  const crossed = await visitor.get(path, { ...MARKDOWN, "If-None-Match": etagOf(page) });
  expect([crossed.status, crossed.body]).toEqual([200, markdown.body]);
  const known = await visitor.get(path, { ...MARKDOWN, "If-None-Match": etagOf(markdown) });
  expect([known.status, known.body]).toEqual([304, ""]);
});

describe("what is made", () => {
  test("queries neither make a page nor change one", async () => {
    const page = await visitor.get("/pricing");
    const made = await madeBy(async () => {
      for (const query of ["?a=1", "?utm_source=<script>", "?index", "?__proto__=1", `?${"q".repeat(4000)}`]) {
        const other = await visitor.get(`/pricing${query}`);
        expect([other.status, etagOf(other), other.body]).toEqual([200, etagOf(page), page.body]);
      }
    });
    expect(made).toEqual([]);
  });

  test("unknown paths make nothing", async () => {
    const made = await madeBy(async () => {
      const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => visitor.get(`/nothing-${index}`)));
      expect(answers.every(({ status, headers }) => status === 404 && !headers.has("ETag"))).toBe(true);
    });
    expect(made).toEqual([]);
  });

  test("kept pages are as many as there are: each public page twice, each file once", async () => {
    await madeBy(async () => {
      for (const path of [...PAGES, ...FILES]) {
        await visitor.get(path);
        await visitor.get(path, MARKDOWN);
      }
    });
    const made = pagesMade(site).map(({ route, format }) => `${route} ${format}`);
    expect(new Set(made).size).toBe(made.length);
    for (const path of FILES) expect(made.filter((page) => page.startsWith(`${path} `))).toHaveLength(1);
  });

  test.each(FILES)("%s comes from memory, with an ETag, and to a HEAD without its text", async (path) => {
    const file = await visitor.get(path);
    expect(file.headers.get("Cache-Control")).toBe("public, max-age=0, must-revalidate");
    expect(file.headers.get("Content-Type")).not.toContain("html");
    expect((await visitor.get(path)).body).toBe(file.body);
    expect((await visitor.get(path, { "If-None-Match": etagOf(file) })).status).toBe(304);
    const head = await visitor.head(path);
    expect([head.status, head.body, etagOf(head)]).toEqual([200, "", etagOf(file)]);
  });
});

describe("one visitor and the next", () => {
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

  test("nothing of the first one is in a page or its Markdown [D8]", async () => {
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

  test("each answer has a request id of its own, in the log too", async () => {
    const ids = new Set<string | null>();
    for (let times = 0; times < 20; times += 1) ids.add((await visitor.get("/")).headers.get("X-Request-Id"));
    expect(ids.size).toBe(20);
    await logged(site);
    const inLog = site.logs.filter(({ event }) => event === "request").map(({ request_id }) => request_id);
    for (const id of ids) expect(inLog).toContain(id);
  });
});
