import { expect, onTestFinished, test, vi } from "vitest";
import { stylesheetReader } from "../../../app/pipeline/settings/stylesheets.server";
import { PATH, SITE_URL } from "../../support/site-in-process/site-settings";
import { COOKIE, FORM, headersOf, smallSite } from "./small-site";

/* Threat D: which pages are cached, and that a cached page has nothing of a visitor. */

const SEEN = "form=nonce; other=1";

/** How often pages were rendered for the cache. */
const renderedBy = ({ logged }: ReturnType<typeof smallSite>) =>
  logged.filter(({ event }) => event === "page_rendered").length;
const policyOf = ({ headers }: Response) => headers.get("Content-Security-Policy") ?? "";

test.each<[isCached: boolean, Cookie: string, ...paths: string[]]>([
  [true, "", "/", "/pricing?utm_source=x", "/robots.txt", "/subscription?_data=x", "/nothing"],
  [true, "", "/subscription", `${PATH}?`],
  [true, "signup=1", "/pricing"],
  [true, SEEN, PATH],
  [false, "signup=1", PATH],
  [false, "", "/health", `${PATH}?edit`, `${PATH}.data`, "/subscription/2f1e7c5a-0d6b-4e0f-9b1a-7c1f4e5d6a7b"],
])("rendered once for all: %s, with the cookies %j at %s", async (isCached, Cookie, ...paths) => {
  for (const path of paths) {
    const site = smallSite();
    for (const _ of [1, 2, 3]) await site.ask(path, { headers: { Cookie } });
    expect([path, renderedBy(site)]).toEqual([path, isCached ? 1 : 0]);
  }
});

// That policies fit their pages: every browser test fails on a violation.
test("each rendered page has a nonce of its own, and a cached page none", async () => {
  const { ask } = smallSite();
  const pages = [await ask("/subscription?edit"), await ask("/subscription?edit"), await ask("/subscription")];
  const nonces = pages.map((page) => /'nonce-([\w-]{22})'/.exec(policyOf(page))?.[1]);
  expect([new Set(nonces).size, nonces[2], await pages[2]?.text()]).toEqual([
    3,
    undefined,
    expect.not.stringMatching(/nonce=/),
  ]);
});

test.each<[path: string, Cookie: string, cookie: string | null]>([
  [PATH, "", COOKIE],
  [PATH, SEEN, null],
  [`${PATH}?edit`, "", COOKIE],
  ["/pricing", "", null],
  ["/subscription?_data=x", "", null],
])("%s with the cookies %j sets the form's cookie %s, whoever came before", async (path, Cookie, cookie) => {
  const { ask } = smallSite();
  await ask(PATH);
  const answer = await ask(path, { headers: { Cookie } });
  expect(answer.headers.get("Set-Cookie")).toBe(cookie);
  if (path === PATH) expect(headersOf(answer, "Cache-Control", "ETag")).toEqual(["no-store", null]);
});

test("a cached page has the footer's year: a new year renders it again", async () => {
  onTestFinished(() => void vi.useRealTimers());
  vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2026, 11, 31, 23, 59, 59) });
  const site = smallSite();
  await site.ask("/pricing");
  vi.setSystemTime(Date.UTC(2027, 0, 1));
  await site.ask("/pricing");
  expect(renderedBy(site)).toBe(2);
});

test.each<[what: string, route: string, path: string, fault: unknown, status: number]>([
  ["a failure", "pricing", "/pricing", new Error("once"), 500],
  ["a cookie", "form", PATH, new Response(null, { headers: { "Set-Cookie": "of=one-visitor" } }), 200],
])("a page with %s is not cached: the next visitor gets a rendered one", async (_, route, path, fault, status) => {
  const { ask, thrown } = smallSite();
  thrown.set(route, fault);
  // The form's cookie does not replace a cookie that the page sets.
  const first = await ask(path);
  expect([first.status, first.headers.get("Set-Cookie")]).toEqual([status, status === 200 ? "of=one-visitor" : null]);
  thrown.clear();
  const next = await ask(path, { headers: { Cookie: SEEN } });
  expect([next.status, next.headers.get("Set-Cookie")]).toEqual([200, null]);
});

test("nothing of one visitor reaches another, whether they ask together or one finds what another left", async () => {
  const { ask } = smallSite();
  const forms = [PATH, `${PATH}?edit`, "/subscription", "/subscription.data"];
  const visits = ["/", "/pricing", "/nothing", "/health", ...forms].flatMap((path) =>
    ["", "form=nonce; ", "signup=1; "].flatMap((cookie) =>
      ["GET", "HEAD", "POST"].flatMap((method) => [false, true].map((query) => ({ path, cookie, method, query }))),
    ),
  );
  const found = async ({ path, cookie, method, query }: (typeof visits)[number], at: number) => {
    const mark = `visitor-${at}`;
    const own = { Cookie: `${cookie}mark=${mark}.`, Referer: `${SITE_URL}/${mark}.`, "CF-Ray": mark };
    const headers = { ...own, "User-Agent": mark, "CF-Connecting-IP": mark, "Accept-Language": mark };
    const form = { headers: { ...headers, "Content-Type": FORM }, body: `email=${mark}.` };
    const url = query ? `${path}${path.includes("?") ? "&" : "?"}x=${mark}.` : path;
    const answer = await ask(url, { method, ...(method === "POST" ? form : { headers }) });
    const marks = `${JSON.stringify([...answer.headers])} ${await answer.text()}`.match(/visitor-\d+/g) ?? [];
    return marks.filter((other) => other !== mark);
  };
  const all = [...visits, ...visits.toReversed()];
  for (let at = 0; at < all.length; at += 12) {
    const together = all.slice(at, at + 12).map((visit, nth) => found(visit, at + nth));
    expect((await Promise.all(together)).flat()).toEqual([]);
  }
});

test("a stylesheet that cannot be read, or would end its element, is read again; another one once", async () => {
  const answers = [new Response("a {}", { status: 500 }), new Response("</style>"), new Response("a {}")];
  const read = stylesheetReader({ fetch: async () => answers.shift() ?? Response.error() });
  const texts = [await read("/a.css"), await read("/a.css"), await read("/a.css"), await read("/a.css")];
  expect(texts).toEqual([undefined, undefined, "a {}", "a {}"]);
});
