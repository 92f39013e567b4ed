import type { AppLoadContext } from "@remix-run/cloudflare";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { routeMatcher } from "../../../app/pipeline/route-matcher.server";
import { formPageCache } from "../../../app/signup/server/form-page-cache.server";
import { signupSessions } from "../../../app/signup/server/session/session.server";
import { formNonces } from "../../../app/signup/server/submit/form-nonce.server";
import { contextWith, recordedLog } from "../../support/site-in-process/pipeline-context";
import { OTHER_PLAN, PACKAGE_IDS, PLAN } from "../../support/site-in-process/site-context";
import { smallBuild } from "../../support/site-in-process/small-build";

const SECRETS = ["a-secret-of-at-least-thirty-two-characters"];
const CUSTOM = "11111111-2222-4333-8444-555555555555";
const configuration = { SITE_URL: "https://www.example", ...PACKAGE_IDS };
const browser = { "User-Agent": "Mozilla/5.0" };

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2026-12-31T23:00:00Z") });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A site whose form page shows all that differs from one visitor to the next. */
function site() {
  const cache = formPageCache();
  const matchRoute = routeMatcher(smallBuild);
  const nonces = formNonces(SECRETS, () => Date.now());
  const sessions = signupSessions(SECRETS, false, () => Date.now());
  const { log, lines } = recordedLog();
  const rendered: { request: Request; context: AppLoadContext }[] = [];
  const opened: unknown[][] = [];
  const page: ResponseInit = {};
  let asked = 0;

  async function render(request: Request, context: AppLoadContext): Promise<Response> {
    rendered.push({ request, context });
    const { nonce, requestId, route, url } = context;
    context.funnel.count("form_opened");
    const words = [nonce, await context.nonces.issue(), requestId, route?.params.id ?? "none", url.pathname];
    return new Response(words.join(" "), {
      ...page,
      headers: { ...page.headers, "Content-Security-Policy": `script-src 'nonce-${nonce}'` },
    });
  }

  async function open(path: string, init: RequestInit = { headers: browser }) {
    asked += 1;
    opened.length = 0;
    const url = new URL(path, "https://preview.example");
    const request = new Request(url, init);
    const context = contextWith({
      url,
      route: matchRoute(url.pathname),
      requestId: `request-${asked}`,
      nonce: `nonce-${asked}`,
      nonces,
      sessions,
      log,
      configuration,
      funnel: { count: (...step: unknown[]) => opened.push(step) },
      execution: { waitUntil: () => {} },
    });
    const before = rendered.length;
    const answer = await cache(request, context, render);
    const text = await answer.text();
    const [nonce, formNonce = "", requestId, id, ownPath] = text.split(" ");
    return {
      status: answer.status,
      policy: answer.headers.get("Content-Security-Policy"),
      text,
      values: { nonce, requestId, id, path: ownPath },
      formNonce,
      /** Whether Remix got the visitor's own request. */
      passedOn: rendered.slice(before).some((one) => one.request === request && one.context === context),
      opened: [...opened],
    };
  }
  return { open, rendered, lines, page, nonces, sessions };
}

describe("the cached empty form", () => {
  test("contains nothing from a visitor's request [D9]", async () => {
    const { open, rendered, lines, nonces } = site();
    await open("/subscription", { headers: { ...browser, "Accept-Language": "de", Cookie: "a=1" } });
    await open(`/subscription/${PLAN}`);
    const [first, second] = rendered.map(({ request, context }) => ({ request, context }));
    expect(first?.request.url).toBe("https://www.example/subscription");
    expect([...(first?.request.headers ?? [])]).toEqual([["accept", "text/html"]]);
    expect(first?.context.url.href).toBe("https://www.example/subscription");
    expect(first?.context.route).toMatchObject({ id: "form", params: {}, pagePath: "/subscription" });
    expect(first?.context.route?.params).toEqual({});
    expect(first?.context.nonces.read).toBe(nonces.read);
    expect(second?.request.url).toBe(`https://www.example/subscription/${PLAN}`);
    expect(second?.context.route).toMatchObject({ params: { id: PLAN }, pagePath: `/subscription/${PLAN}` });
    expect(lines).toEqual(
      Array(2).fill(["page_rendered", { route: "/subscription/:id?", format: "text/html", status: 200 }]),
    );
  });

  test("is rendered once for each kind of plan, and names the visitor's own plan [D9]", async () => {
    const { open, rendered } = site();
    const kinds = [
      ["none", "none"],
      [PLAN, PLAN],
      [OTHER_PLAN],
      [PLAN.toUpperCase(), PLAN.replace("c", "C")],
      [OTHER_PLAN.toUpperCase()],
      [CUSTOM, "11111111-2222-4333-8444-AAAAAAAAAAAA"],
      ["not-a-uuid", "x", "a".repeat(100)],
    ];
    for (const [kind, ids] of kinds.entries()) {
      for (const id of ids) {
        const path = id === "none" ? "/subscription" : `/subscription/${id}`;
        const { values, opened } = await open(path);
        expect(values).toMatchObject({ id, path });
        expect(opened).toEqual([["form_opened", id === "none" ? undefined : id]]);
      }
      expect(rendered, `${kind}`).toHaveLength(kind + 1);
    }
    expect(rendered.map(({ request }) => request.url)).toEqual(rendered.map(({ context }) => context.url.href));
    expect(rendered.map(({ context }) => context.route?.pagePath)).toEqual(
      rendered.map(({ context }) => context.url.pathname),
    );
    // The page also names the ids of all plans: they must not be taken for the visitor's, which is in another case.
    expect(rendered.at(3)?.context.route?.params.id).toBe(PLAN.toUpperCase());
    // Of a custom plan not even the first visitor's id is rendered.
    expect(rendered.map(({ context }) => context.route?.params.id)).not.toContain(CUSTOM);
    expect(rendered.map(({ context }) => context.route?.params.id)).not.toContain("not-a-uuid");
    expect(rendered.at(5)?.context.route?.params.id).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-/);
  });

  test("is counted when a person views it, but not when it is rendered, fetched by a program or requested with HEAD [W2]", async () => {
    const { open } = site();
    expect((await open("/subscription")).opened).toEqual([["form_opened", undefined]]);
    expect((await open("/subscription", { headers: { "User-Agent": "Googlebot/2.1" } })).opened).toEqual([]);
    expect((await open("/subscription", { method: "HEAD", headers: browser })).opened).toEqual([]);
  });

  test.each<[string, ResponseInit]>([
    ["another status", { status: 201 }],
    ["a cookie", { headers: { "Set-Cookie": "a=1" } }],
  ])("is not used for a request with %s: its page is rendered [D9]", async (_, failure) => {
    const { open, page, rendered } = site();
    Object.assign(page, failure);
    const answer = await open("/subscription");
    expect([answer.passedOn, answer.status, answer.values.requestId]).toEqual([
      true,
      failure.status ?? 200,
      "request-1",
    ]);
    delete page.status;
    delete page.headers;
    expect(await open("/subscription")).toMatchObject({ passedOn: false, status: 200 });
    expect(rendered).toHaveLength(3);
  });
});

describe("pages that depend on more than the plan are rendered for each request [D9]", () => {
  test.each<[what: string, path: string, init: RequestInit]>([
    ["a post", "/subscription", { method: "POST" }],
    ["another method", "/subscription", { method: "PUT" }],
    ["a query", "/subscription?id=x", {}],
    ["a page's data", "/subscription.data", {}],
    ["another page", "/pricing", {}],
    ["a page with a parameter that takes no form", "/items/one", {}],
    ["an invalid path", "/%00", {}],
    ["another spelling with a plan", `/Subscription/${PLAN}`, {}],
    ["an escaped id", "/subscription/%78", {}],
    ["an id that would need escaping", "/subscription/a'b", {}],
    ["an id of 101 characters", `/subscription/${"a".repeat(101)}`, {}],
  ])("%s", async (_, path, init) => {
    const { open, rendered } = site();
    for (let time = 1; time <= 2; time += 1) expect((await open(path, init)).passedOn).toBe(true);
    expect(rendered).toHaveLength(2);
  });

  test("a page for a session, even an unreadable one, is not cached; an unrelated cookie has no effect", async () => {
    const { open, sessions } = site();
    const session = await sessions.write({
      step: "card",
      key: "a-key",
      clientSecret: "seti_1_secret_2",
      expiresAt: Date.now() + 1,
      endsAt: Date.now() + 1,
    });
    for (const cookie of [session.split(";")[0] ?? "", "signup=x", "a=1; signup=x"]) {
      expect((await open("/subscription", { headers: { Cookie: cookie } })).passedOn).toBe(true);
    }
    expect((await open("/subscription", { headers: { Cookie: "sign=up" } })).passedOn).toBe(false);
  });
});
