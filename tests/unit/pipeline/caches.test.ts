import * as fc from "fast-check";
import { afterEach, describe, expect, test, vi } from "vitest";
import { PACKAGE_IDS, SITE_URL } from "../../support/site-in-process/site-settings";
import { COOKIE, faults, smallSite } from "./small-site";

/* Threat D: which pages are cached, and that a cached page has nothing of a visitor. */

const PLAN = `/subscription/${PACKAGE_IDS.PACKAGE_ID_LITE}`;
const signedUp = { Cookie: "signup=1" };

afterEach(() => {
  faults.clear();
  vi.useRealTimers();
});

/** How often pages were rendered for the cache. */
const renderedBy = ({ logged }: ReturnType<typeof smallSite>) =>
  logged.filter(({ event }) => event === "page_rendered").length;

test.each<[path: string, headers: Record<string, string>, isCached: boolean]>([
  ["/", {}, true],
  ["/pricing?utm_source=x", {}, true],
  ["/pricing", signedUp, true],
  ["/robots.txt", {}, true],
  ["/health", {}, false],
  ["/subscription", {}, true],
  [PLAN, {}, true],
  [PLAN, { Cookie: "form=nonce; other=1" }, true],
  [PLAN, signedUp, false],
  [`${PLAN}?`, {}, true],
  [`${PLAN}?edit`, {}, false],
  [`${PLAN}.data`, {}, false],
  ["/subscription/2f1e7c5a-0d6b-4e0f-9b1a-7c1f4e5d6a7b", {}, false],
  ["/nothing", {}, true],
  ["/subscription?_data=x", {}, true],
])("%s with %j is rendered once for all: %s", async (path, headers, isCached) => {
  const site = smallSite();
  const answers = [
    await site.ask(path, { headers }),
    await site.ask(path, { headers }),
    await site.ask(path, { headers }),
  ];
  expect(renderedBy(site)).toBe(isCached ? 1 : 0);
  const [first, , third] = await Promise.all(
    answers.map(async (answer) => [answer.status, withoutId(answer.headers), await answer.text()]),
  );
  if (isCached) expect(third).toEqual(first);
});

const withoutId = (headers: Headers) => [...headers].filter(([name]) => name !== "x-request-id");

describe("a cached page", () => {
  test("allows its inline scripts and styles by hash, a rendered one by a nonce of its own", async () => {
    const { ask } = smallSite();
    const policyOf = ({ headers }: Response) => headers.get("Content-Security-Policy") ?? "";
    const cached = await ask("/subscription");
    const html = await cached.text();
    expect(html).not.toContain("nonce=");
    expect(html, "the loaders' data, for hydration").toMatch(
      /streamController\.enqueue\(.*streamController\.close\(\)/s,
    );
    expect(policyOf(cached)).not.toContain("nonce-");
    for (const [, name, text] of html.matchAll(/<(script|style)(?: type="module" async="")?>(.*?)<\/\1>/gs)) {
      const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
      const hash = `'sha256-${Buffer.from(digest).toString("base64")}'`;
      expect(
        policyOf(cached)
          .split("; ")
          .find((directive) => directive.startsWith(`${name}-src `)),
      ).toContain(hash);
    }
    const nonces = new Set<string>();
    for (const _ of [1, 2]) {
      const rendered = await ask("/subscription?edit");
      const nonce = /'nonce-([\w-]{22})'/.exec(policyOf(rendered))?.[1] ?? "";
      const inline = (await rendered.text()).match(/<(?:script|style)[^>]*>/g) ?? [];
      expect(inline.filter((tag) => !tag.includes(`nonce="${nonce}"`))).toEqual([]);
      nonces.add(nonce);
    }
    expect(nonces.size).toBe(2);
  });

  test("of the form is stored by no browser, and gets its cookie outside the cache, where the visitor has none", async () => {
    const { ask } = smallSite();
    for (const [headers, cookie] of [
      [{}, COOKIE],
      [{ Cookie: "form=nonce" }, null],
      [{}, COOKIE],
    ] as const) {
      const answer = await ask(PLAN, { headers });
      expect([
        answer.headers.get("Set-Cookie"),
        answer.headers.get("Cache-Control"),
        answer.headers.get("ETag"),
      ]).toEqual([cookie, "no-store", null]);
    }
    expect((await ask("/pricing")).headers.get("Set-Cookie")).toBeNull();
    expect((await ask("/subscription.data?_data=x")).headers.get("Set-Cookie")).toBeNull();
  });

  test("has the footer's year: a new year renders it again", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2026, 11, 31, 23, 59, 59) });
    const site = smallSite();
    await site.ask("/pricing");
    vi.setSystemTime(Date.UTC(2027, 0, 1));
    await site.ask("/pricing");
    expect(renderedBy(site)).toBe(2);
  });

  test("is never a failed one: the next visitor gets the page", async () => {
    const site = smallSite();
    faults.set("pricing", () => {
      throw new Error("once");
    });
    expect((await site.ask("/pricing")).status).toBe(500);
    faults.clear();
    expect((await site.ask("/pricing")).status).toBe(200);
  });

  test("never sets a cookie of its own", async () => {
    const site = smallSite();
    faults.set("form", () => {
      throw new Response(null, { status: 200, headers: { "Set-Cookie": "of=one-visitor" } });
    });
    await site.ask(PLAN);
    faults.clear();
    const { headers } = await site.ask(PLAN, { headers: { Cookie: "form=nonce" } });
    expect(headers.get("Set-Cookie")).toBeNull();
  });
});

test("nothing of one visitor reaches another: a thousand mixed requests", async () => {
  const { ask } = smallSite();
  const paths = [
    "/",
    "/pricing",
    PLAN,
    "/subscription",
    `${PLAN}?edit`,
    "/nothing",
    "/subscription.data",
    "/robots.txt",
  ];
  const cookies = ["", "form=nonce; ", "signup=1; "];
  const plan = fc.record({
    path: fc.constantFrom(...paths),
    cookie: fc.constantFrom(...cookies),
    method: fc.constantFrom("GET", "HEAD", "POST", "PUT"),
    query: fc.boolean(),
  });
  const visits = fc
    .sample(plan, { numRuns: 1000, seed: 49 })
    .map((visit, at) => ({ ...visit, mark: `visitor-${at}.` }));
  const visit = async ({ path, cookie, method, query, mark }: (typeof visits)[number]) => {
    const headers = {
      Cookie: `${cookie}mark=${mark}`,
      "User-Agent": mark,
      "CF-Ray": mark.replace(".", ""),
      "CF-Connecting-IP": mark,
      Referer: `${SITE_URL}/${mark}`,
      "Accept-Language": mark,
      ...(method === "POST" && { "Content-Type": "application/x-www-form-urlencoded" }),
    };
    const body = method === "POST" ? `email=${mark}` : null;
    const url = query ? `${path}${path.includes("?") ? "&" : "?"}x=${mark}` : path;
    const answer = await ask(url, { method, headers, body });
    return { mark, text: `${JSON.stringify([...answer.headers])} ${await answer.text()}` };
  };
  const answers: Awaited<ReturnType<typeof visit>>[] = [];
  // Ten at a time: those in flight together, and those that find what earlier ones left.
  while (visits.length > 0) answers.push(...(await Promise.all(visits.splice(0, 10).map(visit))));
  expect(answers).toHaveLength(1000);
  for (const { mark, text } of answers) {
    const found = new Set(text.match(/visitor-\d+/g));
    expect([...found].filter((other) => `${other}.` !== mark)).toEqual([]);
  }
});
