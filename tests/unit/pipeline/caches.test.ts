import { describe, expect, onTestFinished, test, vi } from "vitest";
import { stylesheetReader } from "../../../app/pipeline/response/stylesheets.server";
import { PATH, SITE_URL } from "../../support/site-in-process/site-settings";
import { FORM, smallSite } from "./small-site";

/* Threat D: the cached pages, which have no visitor's data. */

const UNKNOWN_PLAN = "/subscription/2f1e7c5a-0d6b-4e0f-9b1a-7c1f4e5d6a7b";
/** Cookies of a browser that has seen the form, and of one with a sign-up. */
const SEEN_FORM = "form=nonce; other=1";
const SIGNED_UP = "signup=1";

/** How often pages are rendered for the cache when a path is asked for three times. */
async function renderedFor(path: string, Cookie: string) {
  const { ask, logged } = smallSite();
  for (const _ of [1, 2, 3]) await ask(path, { headers: { Cookie } });
  return logged.filter(({ event }) => event === "page_rendered").length;
}

test.each([
  { page: "the home page", path: "/", cookie: "" },
  { page: "a page with a query", path: "/pricing?utm_source=x", cookie: "" },
  { page: "a page for a visitor with a sign-up", path: "/pricing", cookie: SIGNED_UP },
  { page: "a file", path: "/robots.txt", cookie: "" },
  { page: "the page of a refusal", path: "/subscription?_data=x", cookie: "" },
  { page: "the not-found page", path: "/nothing", cookie: "" },
  { page: "the empty form", path: "/subscription", cookie: "" },
  { page: "the empty form of a plan, with an empty query", path: `${PATH}?`, cookie: "" },
  { page: "the empty form for a visitor who has seen it", path: PATH, cookie: SEEN_FORM },
])("$page is rendered once for everybody: $path", async ({ path, cookie }) => {
  expect(await renderedFor(path, cookie), "pages rendered for three visits").toBe(1);
});

test.each([
  { page: "the form of a visitor with a sign-up", path: PATH, cookie: SIGNED_UP },
  { page: "the form with a query", path: `${PATH}?edit`, cookie: "" },
  { page: "a page's data", path: `${PATH}.data`, cookie: "" },
  { page: "the form of an unknown plan", path: UNKNOWN_PLAN, cookie: "" },
  { page: "the health route", path: "/health", cookie: "" },
])("$page never comes from the cache: $path", async ({ path, cookie }) => {
  expect(await renderedFor(path, cookie), "pages rendered for the cache").toBe(0);
});

describe("a nonce", () => {
  // Not tested here that policies fit their pages: every browser test fails on a violation.
  const nonceOf = ({ headers }: Response) =>
    /'nonce-([\w-]{22})'/.exec(headers.get("Content-Security-Policy") ?? "")?.[1];

  test("is new for each rendered page", async () => {
    const { ask } = smallSite();
    const first = nonceOf(await ask("/subscription?edit"));
    const second = nonceOf(await ask("/subscription?edit"));
    expect(first).toBeDefined();
    expect(second).not.toBe(first);
  });

  test("is neither in a cached page's policy nor in its text", async () => {
    const page = await smallSite().ask("/subscription");
    expect(nonceOf(page)).toBeUndefined();
    expect(await page.text()).not.toContain("nonce=");
  });
});

describe("the form's cookie", () => {
  /** What a visitor gets of a page that another has had before. */
  async function answerAfterAnother(path: string, Cookie = "") {
    const { ask } = smallSite();
    await ask(path);
    return ask(path, { headers: { Cookie } });
  }

  test("comes with the cached form, which then no cache stores", async () => {
    const answer = await answerAfterAnother(PATH);
    expect(answer).toSetCookie("form", "Path=/");
    expect(answer).toHaveHeader("Cache-Control", "no-store");
    expect(answer).not.toHaveHeader("ETag");
  });

  test("comes with the rendered form", async () => {
    expect(await answerAfterAnother(`${PATH}?edit`)).toSetCookie("form", "Path=/");
  });

  test("is not set again for a browser that has it", async () => {
    const answer = await answerAfterAnother(PATH, SEEN_FORM);
    expect(answer).not.toSetCookie("form");
    expect(answer).toHaveHeader("Cache-Control", "no-store");
    expect(answer).not.toHaveHeader("ETag");
  });

  test.each([
    { page: "another page", path: "/pricing" },
    { page: "a refusal", path: "/subscription?_data=x" },
  ])("does not come with $page", async ({ path }) => {
    expect(await answerAfterAnother(path)).not.toSetCookie("form");
  });

  test("does not replace a cookie that the page sets, and such a page is not cached", async () => {
    const { ask, thrown } = smallSite();
    thrown.set("form", new Response(null, { headers: { "Set-Cookie": "one-visitor=1" } }));
    const first = await ask(PATH);
    expect(first).toSetCookie("one-visitor");
    expect(first).not.toSetCookie("form");
    thrown.clear();
    expect(await ask(PATH, { headers: { Cookie: SEEN_FORM } })).not.toSetCookie("one-visitor");
  });
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

describe("nothing of one visitor reaches another", () => {
  const CONCURRENT = 12;
  const paths = ["/", "/pricing", "/nothing", "/health", PATH, `${PATH}?edit`, "/subscription", "/subscription.data"];
  const cookies = ["", "form=nonce; ", "signup=1; "];
  const visits = paths.flatMap((path) =>
    cookies.flatMap((cookie) =>
      ["GET", "HEAD", "POST"].flatMap((method) => [
        { path, cookie, method },
        { path: `${path}${path.includes("?") ? "&" : "?"}x=`, cookie, method },
      ]),
    ),
  );

  /** Sends a request with a mark in each header, and returns the marks of other visitors found in the answer. */
  async function marksOfOthers(ask: ReturnType<typeof smallSite>["ask"], visit: (typeof visits)[number], mark: string) {
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

  test.each([
    { when: "whether they ask together", order: visits },
    { when: "or one finds what another left", order: visits.toReversed() },
  ])("$when", async ({ order }) => {
    const { ask } = smallSite();
    // Twice, so that the second finds what the first left in the cache.
    const all = [...order, ...order];
    for (let first = 0; first < all.length; first += CONCURRENT) {
      const together = all.slice(first, first + CONCURRENT);
      const found = await Promise.all(
        together.map((visit, index) => marksOfOthers(ask, visit, `visitor-${first + index}`)),
      );
      expect(found.flat(), "other visitors' marks in an answer").toEqual([]);
    }
  });
});

describe("a stylesheet", () => {
  const readerOf = (...answers: Response[]) =>
    stylesheetReader({ fetch: async () => answers.shift() ?? Response.error() });

  test("is read once", async () => {
    const read = readerOf(new Response("a {}"));
    expect(await read("/a.css")).toBe("a {}");
    expect(await read("/a.css")).toBe("a {}");
  });

  test.each([
    { problem: "cannot be read", answer: () => new Response("a {}", { status: 500 }) },
    { problem: "would end its element", answer: () => new Response("</style>") },
  ])("that $problem is left out, and read again the next time", async ({ answer }) => {
    const read = readerOf(answer(), new Response("b {}"));
    expect(await read("/a.css")).toBeUndefined();
    expect(await read("/a.css")).toBe("b {}");
  });
});
