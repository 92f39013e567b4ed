import { expect, onTestFinished, test, vi } from "vitest";
import { stylesheetReader } from "../../../app/pipeline/response/stylesheets.server";
import { PATH, SITE_URL } from "../../support/site-in-process/site-settings";
import { FORM, smallSite } from "./small-site";

/* Threat D: the cached pages, which have no visitor's data. */

const UNKNOWN_PLAN = "/subscription/2f1e7c5a-0d6b-4e0f-9b1a-7c1f4e5d6a7b";
/** Cookies of a browser that has seen the form, and of one with a sign-up. */
const SEEN_FORM = "form=nonce; other=1";
const SIGNED_UP = "signup=1";

test.each([
  { page: "the home page", path: "/", cookie: "", rendered: 1 },
  { page: "a page with a query", path: "/pricing?utm_source=x", cookie: "", rendered: 1 },
  { page: "a page for a visitor with a sign-up", path: "/pricing", cookie: SIGNED_UP, rendered: 1 },
  { page: "a file", path: "/robots.txt", cookie: "", rendered: 1 },
  { page: "the page of a refusal", path: "/subscription?_data=x", cookie: "", rendered: 1 },
  { page: "the not-found page", path: "/nothing", cookie: "", rendered: 1 },
  { page: "the empty form of a plan, with an empty query", path: `${PATH}?`, cookie: "", rendered: 1 },
  { page: "the empty form for a visitor who has seen it", path: PATH, cookie: SEEN_FORM, rendered: 1 },
  { page: "the form of a visitor with a sign-up", path: PATH, cookie: SIGNED_UP, rendered: 0 },
  { page: "the form with a query", path: `${PATH}?edit`, cookie: "", rendered: 0 },
  { page: "a page's data", path: `${PATH}.data`, cookie: "", rendered: 0 },
  { page: "the form of an unknown plan", path: UNKNOWN_PLAN, cookie: "", rendered: 0 },
  { page: "the health route", path: "/health", cookie: "", rendered: 0 },
])("in three visits, $page is rendered $rendered times for the cache: $path", async ({ path, cookie, rendered }) => {
  const { ask, logged } = smallSite();
  for (const _ of [1, 2, 3]) await ask(path, { headers: { Cookie: cookie } });
  expect(logged.filter(({ event }) => event === "page_rendered")).toHaveLength(rendered);
});

// Not tested here that policies fit their pages: every browser test fails on a violation.
test("a rendered page has a nonce of its own, and a cached page has none, in its policy or its text", async () => {
  const nonceOf = ({ headers }: Response) =>
    /'nonce-([\w-]{22})'/.exec(headers.get("Content-Security-Policy") ?? "")?.[1];
  const { ask } = smallSite();
  const first = nonceOf(await ask("/subscription?edit"));
  expect(first).toBeDefined();
  expect(nonceOf(await ask("/subscription?edit"))).not.toBe(first);
  const cached = await ask("/subscription");
  expect(nonceOf(cached)).toBeUndefined();
  expect(await cached.text()).not.toContain("nonce=");
});

test.each([
  { page: "the cached form", path: PATH, cookie: "", sets: true, isStored: false },
  { page: "the cached form, to a browser that has it", path: PATH, cookie: SEEN_FORM, sets: false, isStored: false },
  { page: "the rendered form", path: `${PATH}?edit`, cookie: "", sets: true, isStored: false },
  { page: "another page", path: "/pricing", cookie: "", sets: false, isStored: true },
  { page: "a refusal", path: "/subscription?_data=x", cookie: "", sets: false, isStored: false },
])("$page comes with the form's cookie ($sets), and browsers store it ($isStored)", async (row) => {
  const { path, cookie, sets, isStored } = row;
  const { ask } = smallSite();
  // Another visitor has had it before.
  await ask(path);
  const answer = await ask(path, { headers: { Cookie: cookie } });
  if (sets) expect(answer).toHaveHeader("Set-Cookie", /^form=.*; Path=\//);
  else expect(answer).not.toHaveHeader("Set-Cookie", /form=/);
  expect(answer).toHaveHeader("Cache-Control", isStored ? "public, max-age=0, must-revalidate" : "no-store");
  expect(answer.headers.has("ETag"), "has an ETag").toBe(isStored);
});

test("the form's cookie does not replace a cookie that the page sets, and such a page is not cached", async () => {
  const { ask, thrown } = smallSite();
  thrown.set("form", new Response(null, { headers: { "Set-Cookie": "one-visitor=1" } }));
  const first = await ask(PATH);
  expect(first).toHaveHeader("Set-Cookie", /one-visitor=/);
  expect(first).not.toHaveHeader("Set-Cookie", /form=/);
  thrown.clear();
  expect(await ask(PATH, { headers: { Cookie: SEEN_FORM } })).not.toHaveHeader("Set-Cookie", /one-visitor=/);
});

test("a page that failed is not cached: the next visitor gets a rendered one", async () => {
  const { ask, thrown } = smallSite();
  thrown.set("pricing", new Error("once"));
  expect(await ask("/pricing")).toHaveStatus(500);
  thrown.clear();
  expect(await ask("/pricing")).toHaveStatus(200);
});

test("a cached page has the footer's year: a new year renders it again", async () => {
  onTestFinished(() => void vi.useRealTimers());
  vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2026, 11, 31, 23, 59, 59) });
  const { ask, logged } = smallSite();
  await ask("/pricing");
  vi.setSystemTime(Date.UTC(2027, 0, 1));
  await ask("/pricing");
  expect(logged.filter(({ event }) => event === "page_rendered")).toHaveLength(2);
});

const CONCURRENT = 12;
const PATHS = ["/", "/pricing", "/nothing", "/health", PATH, `${PATH}?edit`, "/subscription", "/subscription.data"];
const VISITS = PATHS.flatMap((path) =>
  ["", "form=nonce; ", "signup=1; "].flatMap((cookie) =>
    ["GET", "HEAD", "POST"].flatMap((method) => [
      { path, cookie, method },
      { path: `${path}${path.includes("?") ? "&" : "?"}x=`, cookie, method },
    ]),
  ),
);

/** Sends a request with a mark in each header, and returns the marks of other visitors found in the answer. */
async function marksOfOthers(ask: ReturnType<typeof smallSite>["ask"], visit: (typeof VISITS)[number], mark: string) {
  const { path, cookie, method } = visit;
  const headers = {
    Cookie: `${cookie}mark=${mark}.`,
    Referer: `${SITE_URL}/${mark}.`,
    "CF-Ray": mark,
    "User-Agent": mark,
    "CF-Connecting-IP": mark,
    "Accept-Language": mark,
    ...(method === "POST" && { "Content-Type": FORM }),
  };
  const body = method === "POST" ? `email=${mark}.` : undefined;
  const answer = await ask(path.endsWith("x=") ? `${path}${mark}.` : path, { method, headers, body });
  const received = `${JSON.stringify([...answer.headers])} ${await answer.text()}`;
  return (received.match(/visitor-\d+/g) ?? []).filter((other) => other !== mark);
}

test("nothing of one visitor reaches another, whether they ask together or one finds what another left", async () => {
  for (const order of [VISITS, VISITS.toReversed()]) {
    const { ask } = smallSite();
    // Twice, so that the second finds what the first left in the cache.
    const all = [...order, ...order];
    for (let first = 0; first < all.length; first += CONCURRENT) {
      const together = all.slice(first, first + CONCURRENT);
      const found = together.map((visit, index) => marksOfOthers(ask, visit, `visitor-${first + index}`));
      expect((await Promise.all(found)).flat(), "other visitors' marks in an answer").toEqual([]);
    }
  }
});

test.each([
  { problem: "cannot be read", answer: () => new Response("a {}", { status: 500 }) },
  { problem: "would end its element", answer: () => new Response("</style>") },
])("a stylesheet that $problem is left out, read again the next time, and then no more", async ({ answer }) => {
  const answers = [answer(), new Response("b {}")];
  const read = stylesheetReader({ fetch: async () => answers.shift() ?? Response.error() });
  expect(await read("/a.css")).toBeUndefined();
  expect(await read("/a.css")).toBe("b {}");
  expect(await read("/a.css")).toBe("b {}");
});
