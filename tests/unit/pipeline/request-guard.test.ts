import type { AppLoadContext } from "@remix-run/cloudflare";
import { beforeEach, describe, expect, test } from "vitest";
import { refusalCache } from "../../../app/pipeline/cache/refusal-cache.server";
import { requestGuard } from "../../../app/pipeline/guard/request-guard.server";
import { routeMatcher } from "../../../app/pipeline/route-matcher.server";
import { contextWith, countingLimiter, recordedLog } from "../../support/site-in-process/pipeline-context";
import { smallBuild } from "../../support/site-in-process/small-build";

/* What the guard lets through, and what it makes of the rest. */

const ORIGIN = "https://www.example";
const FORM = "application/x-www-form-urlencoded";
const matchRoute = routeMatcher(smallBuild);

/** What was handed on. */
let passed: { path: string; method: string; form: unknown; refusal: unknown }[];
beforeEach(() => {
  passed = [];
});

/** Renders a refusal as the catch-all route does, and else says that the page was reached. */
async function page(request: Request, context: AppLoadContext): Promise<Response> {
  const { form, refusal, url } = context;
  passed.push({ path: url.pathname, method: request.method, form, refusal });
  return new Response(refusal ? `${refusal.title}. ${refusal.message}` : "the page", {
    status: refusal?.status ?? 200,
  });
}

function guarded(limiter: { limit(asked: { key: string }): Promise<{ success: boolean }> } = countingLimiter()) {
  const guard = requestGuard(refusalCache(matchRoute), { fields: ["email"] });
  const { log, added, lines } = recordedLog();
  const execution = { waitUntil: () => {} };
  const configuration = { SIGNUP_RATE_LIMIT: limiter };
  const ask = async (path: string, init: RequestInit = {}) => {
    passed.length = 0;
    added.length = 0;
    const url = new URL(ORIGIN + path);
    const route = matchRoute(url.pathname);
    const answer = await guard(
      new Request(url, init),
      contextWith({ url, route, log, execution, configuration, ip: "2001:db8::1" }),
      page,
    );
    const { status, headers } = answer;
    return { status, allow: headers.get("Allow"), retryAfter: headers.get("Retry-After"), text: await answer.text() };
  };
  const post = (body: string, headers: Sent = {}, path = "/subscription") =>
    ask(path, { method: "POST", body, headers: { "Content-Type": FORM, ...headers } });
  return { ask, post, added, lines };
}

type Sent = Record<string, string>;

const own: Sent = { Origin: ORIGIN, "Sec-Fetch-Site": "same-origin" };

describe("the origin of a form", () => {
  test.each<[Sent, number]>([
    [own, 200],
    [{ Origin: ORIGIN }, 200],
    [{ "Sec-Fetch-Site": "same-origin" }, 200],
    [{ "Sec-Fetch-Site": "none" }, 200],
    [{ ...own, "Sec-Fetch-Site": "none" }, 200],
    [{ ...own, "Sec-Fetch-Site": "same-site" }, 403],
    [{ ...own, "Sec-Fetch-Site": "cross-site" }, 403],
    [{ ...own, "Sec-Fetch-Site": "" }, 403],
    [{ "Sec-Fetch-Site": "cross-site" }, 403],
    [{ Origin: "null" }, 403],
    [{ Origin: "" }, 403],
    [{ ...own, Origin: "https://evil.example" }, 403],
    [{ Origin: `${ORIGIN}.evil.example` }, 403],
    [{ Origin: ORIGIN, Referer: "https://evil.example/" }, 200],
    [{}, 200],
    [{ Referer: `${ORIGIN}/subscription` }, 200],
    [{ Referer: "https://evil.example/" }, 200],
    [{ Referer: "%%%" }, 200],
  ])("with %j gives %i [A1] [A4] [A5] [A6]", async (headers, status) => {
    const { post } = guarded();
    const answer = await post("email=a&more=1", headers);
    expect([answer.status, answer.text.includes("not sent from our site")]).toEqual([status, status === 403]);
    expect(passed).toEqual([
      status === 200
        ? { path: "/subscription", method: "POST", form: { email: "a" }, refusal: undefined }
        : expect.objectContaining({ path: "/refused", method: "GET", form: undefined }),
    ]);
  });

  test("page data is served to the site's own pages only, pages to everyone [A3]", async () => {
    const { ask } = guarded();
    const statusOf = async (path: string, headers: Sent) => (await ask(path, { headers })).status;
    const foreign: Sent[] = [
      { "Sec-Fetch-Site": "cross-site" },
      { Origin: "https://evil.example" },
      { ...own, Origin: "null" },
    ];
    for (const headers of foreign) {
      expect(await statusOf("/subscription.data", headers)).toBe(403);
      expect(await statusOf("/subscription", headers)).toBe(200);
    }
    const known: Sent[] = [{}, own, { "Sec-Fetch-Site": "same-origin" }];
    for (const headers of known) {
      expect(await statusOf("/subscription.data", headers)).toBe(200);
    }
  });
});

describe("the URL and method", () => {
  const READ = "GET, HEAD";

  test.each<[method: string, path: string, status: number, allow: string | null]>([
    ["GET", "/", 200, null],
    ["HEAD", "/pricing", 200, null],
    ["GET", "/subscription", 200, null],
    ["GET", "/subscription/one.data", 200, null],
    ["GET", "/robots.txt", 200, null],
    ["GET", "/__manifest?p=%2F", 404, null],
    ["PUT", "/__manifest", 405, READ],
    ["POST", "/", 405, READ],
    ["POST", "/nothing", 405, READ],
    ["PUT", "/pricing", 405, READ],
    ["DELETE", "/subscription/one", 405, "GET, HEAD, POST"],
    ["GET", "/nothing", 404, null],
    ["GET", "/refused", 404, null],
    ["GET", "/pricing.data", 404, null],
    ["POST", "/pricing.data", 404, null],
    ["GET", `/subscription/${"a".repeat(100)}`, 200, null],
    ["GET", `/subscription/${"a".repeat(101)}`, 404, null],
    ["POST", "/subscription/a.css", 404, null],
    ["GET", "/%00", 404, null],
    ["GET", `/nothing?${"a&".repeat(64)}`, 400, null],
    ["PUT", `/pricing?${"a".repeat(8192)}`, 414, null],
  ])("%s %s gives %i [A8] [A10]", async (method, path, status, allow) => {
    const { ask } = guarded();
    const answer = await ask(path, { method });
    expect([answer.status, answer.allow, answer.retryAfter]).toEqual([status, allow, null]);
    expect(passed.map(({ refusal }) => refusal === undefined)).toEqual(status === 200 ? [true] : [false]);
  });
});

test("a form's type, length and fields are checked before a route sees it [B1] [B3] [B4]", async () => {
  const { post, lines } = guarded();
  const statusOf = async (body: string, headers: Sent) => (await post(body, { ...own, ...headers })).status;
  expect(await statusOf("email=a", { "Content-Type": "text/plain" })).toBe(415);
  expect(await statusOf("email=a", { "Content-Length": "16385" })).toBe(413);
  expect(await statusOf("email=a&email=b", {})).toBe(400);
  expect(await statusOf("x".repeat(16_385), {})).toBe(413);
  expect(await statusOf("email=a", {})).toBe(200);
  expect(lines).toEqual([]);
});

describe("the notice for a refused form", () => {
  test("is shown on the form's own page, which keeps the typed values, when a script posted it [A3]", async () => {
    const { post } = guarded();
    const answer = await post("email=a", { Origin: "null" }, "/subscription/one.data");
    expect(answer.status).toBe(403);
    expect(passed).toEqual([
      { path: "/subscription/one.data", method: "POST", form: {}, refusal: expect.objectContaining({ status: 403 }) },
    ]);
  });

  test("is logged with its title; a page that does not exist is not logged as refused [F6]", async () => {
    const { ask, post, added } = guarded();
    await post("email=a", { Origin: "null" });
    expect(added).toEqual([{ outcome: "refused", reason: "Request refused" }]);
    await ask("/pricing", { method: "PUT" });
    expect(added).toEqual([{ outcome: "refused", reason: "Method not allowed" }]);
    await ask("/nothing?secret=1");
    expect(added).toEqual([]);
    await ask("/pricing");
    await post("email=a", own);
    expect(added).toEqual([]);
  });
});

describe("the rate limit", () => {
  const sender = "2001:db8:0:0::/64";

  test("shows the form and when to try again over the limit, and neither at twice the limit [F1]", async () => {
    const limiter = countingLimiter(1);
    const { post, added } = guarded(limiter);
    expect((await post("email=a", own)).status).toBe(200);
    expect(limiter.keys).toEqual([sender]);

    const over = await post("email=a", own);
    expect([over.status, over.retryAfter]).toEqual([429, "60"]);
    expect(passed).toMatchObject([{ path: "/subscription", method: "POST", form: { email: "a" } }]);
    expect(limiter.keys).toEqual([sender, sender, `${sender} refused`]);
    expect(added).toEqual([{ outcome: "refused", reason: "Too many requests" }]);

    const farOver = await post("email=a", own);
    expect([farOver.status, farOver.retryAfter]).toEqual([429, "60"]);
    expect(passed).toMatchObject([{ path: "/refused", method: "GET", form: undefined }]);
  });

  test("leaves a script's form unread over the limit [F1]", async () => {
    const limiter = countingLimiter(0);
    const { post } = guarded(limiter);
    const answer = await post("email=a", own, "/subscription.data");
    expect([answer.status, answer.retryAfter]).toEqual([429, "60"]);
    expect(passed).toMatchObject([{ path: "/subscription.data", form: {} }]);
    expect(limiter.keys).toEqual([sender]);
  });

  test("ignores forms from other sites or of other types, and page views", async () => {
    const limiter = countingLimiter(0);
    const { ask, post } = guarded(limiter);
    await post("email=a", { Origin: "null" });
    await post("email=a", { ...own, "Content-Type": "text/plain" });
    await ask("/subscription");
    expect(limiter.keys).toEqual([]);
  });

  test("lets forms pass and logs an error while the limiter fails [F1]", async () => {
    const { post, lines } = guarded({
      limit: () => Promise.reject(new TypeError("of ada@example.com")),
    });
    expect((await post("email=a", own)).status).toBe(200);
    expect(lines).toEqual([["rate_limiter_failed", expect.objectContaining({ error: "TypeError" })]]);
    expect(JSON.stringify(lines)).not.toContain("ada@");
  });
});
