import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  fields,
  logged,
  PASSWORD,
  resumeLinkIn,
  SECRET,
  type SiteVisitor,
  siteVisitor,
} from "../../support/visitors/site-visitor";
import { startVisitedSite } from "../../support/visitors/visited-site";
import { rows, signUp } from "../../support/visitors/visitor";
import { ORIGIN, startDeployedSite } from "../../support/workers/deployed-site";
import type { Upstream } from "../../support/workers/upstream";
import { type RunningWorker, startBackend, startSite } from "../../support/workers/workers";

/* One visitor's sign-up: sent twice, come back to, kept in a cookie, and by no cache. */

let upstream: Upstream;
let site: RunningWorker;
let visitor: SiteVisitor;

beforeAll(async () => {
  const started = await startVisitedSite();
  ({ upstream, site, visitor } = started);
  return started.dispose;
});

beforeEach(() => upstream.answersJson(200, { client_secret: SECRET }));

const FORM = "Subscription Information";
const CARD = "Please enter your card info for starting your 5 days free trial";

describe("a form sent twice", () => {
  let backend: Awaited<ReturnType<typeof startBackend>>;
  beforeAll(async () => {
    backend = await startBackend();
  });
  afterAll(() => backend.dispose());

  test("in parallel, without JavaScript, makes one subscription and one setup intent [D1]", async () => {
    const { api, stripe } = backend;
    const whole = await startSite({
      vars: { SUBSCRIPTION_API_URL: api.url, STRIPE_JS_URL: `${stripe.url}/x.js`, STRIPE_API_URL: stripe.url },
    });
    const double = siteVisitor(whole);
    const form_nonce = await double.nonce();
    const answers = await Promise.all([double.submit({ form_nonce }), double.submit({ form_nonce })]);
    // One of them may come while the other is being made: it is asked to wait, and finds the same one when sent again.
    for (const { status } of answers) expect([303, 503]).toContain(status);
    expect((await double.submit({ form_nonce })).status).toBe(303);

    const made = await rows(api, "SELECT * FROM sign_ups");
    expect(made).toHaveLength(1);
    const intents = await fetch(`${stripe.url}/v1/setup_intents?customer=${made[0]?.stripe_customer_id}`, {
      headers: { Authorization: "Bearer sk_test_local_development_only" },
    });
    const { data }: { data: unknown[] } = JSON.parse(await intents.text());
    expect(data).toHaveLength(1);
    await whole.dispose();
  });

  test("with one idempotency key but another payload is answered 422 by the reference API, without a secret [D2]", async () => {
    const email = "key@example.com";
    const first = await signUp(backend.api, { email }, "one-key");
    const second = await signUp(backend.api, { email, city: "Shelbyville" }, "one-key");
    expect(first.clientSecret).toMatch(/^seti_/);
    expect(second.status).toBe(422);
    expect(second.text).not.toContain("seti_");
    expect(await rows(backend.api, "SELECT * FROM sign_ups WHERE email = ?", email)).toHaveLength(1);
  });
});

describe("an accepted form", () => {
  test("leads to the card step again on reload, back or in a second tab, without another call to the API [D3]", async () => {
    const { cookie: Cookie } = await visitor.submit();
    upstream.calls.length = 0;
    for (const path of ["/subscription", `/subscription/${fields.package_id}`, "/subscription"]) {
      const { status, text } = await visitor.get(path, { Cookie });
      expect(status).toBe(200);
      expect(text).toContain(CARD);
      expect(text).toContain("* You will not be charged immediately!");
      expect(text).not.toContain(FORM);
    }
    expect((await visitor.get("/subscription.data", { Cookie })).body).toContain(SECRET);
  });
});

describe("the session cookie", () => {
  test("is treated as none and cleared when it is broken, never 500 [D4]", async () => {
    const { cookie } = await visitor.submit();
    const value = cookie.slice("signup=".length);
    const flipped = (index: number) =>
      value.slice(0, index) + (value.charAt(index) === "A" ? "B" : "A") + value.slice(index + 1);
    const broken = [
      // Not its last character, of which two bits say nothing.
      ...[0, 10, 80, 140, 200, value.length - 2].map(flipped),
      value.slice(0, -1),
      value.slice(0, value.length / 2),
      `${value}x`,
      value.toLowerCase(),
      `${value}${value}`,
      "%E0%A4%A",
      "%",
      "=;;",
      "x",
      "A".repeat(16),
      "A".repeat(38),
      "y".repeat(10_000),
      "*".repeat(10_000),
      "%00".repeat(3000),
      '"{}"',
    ];
    for (const wrong of broken) {
      const answer = await visitor.get("/subscription", { Cookie: `signup=${wrong}` });
      expect([wrong, answer.status]).toEqual([wrong, 200]);
      expect(answer.text).toContain(FORM);
      expect(answer.headers.get("Set-Cookie")).toMatch(/^signup=; Max-Age=0/);
      // A form sent with it is taken like any other.
      expect((await visitor.submit({}, { Cookie: `signup=${wrong}` })).status).toBe(303);
    }
  });

  test("is not cleared when there are only strange ones [D4]", async () => {
    for (const Cookie of ["=;;", ";;;=;", "signupx=1", "__proto__=1", "a".repeat(10_000), "a=b; ".repeat(4000), "%"]) {
      const answer = await visitor.get("/subscription", { Cookie });
      expect(answer.status).toBe(200);
      expect(answer.headers.has("Set-Cookie")).toBe(false);
    }
  });

  test("is no resume link's token, and a token is no cookie [D4]", async () => {
    const { cookie } = await visitor.submit();
    const link = resumeLinkIn(await visitor.get("/subscription", { Cookie: cookie }));
    const [[name = "", token = ""] = []] = link.searchParams;
    expect((await visitor.get("/subscription", { Cookie: `signup=${token}` })).text).toContain(FORM);
    const stolen = encodeURIComponent(cookie.slice("signup=".length));
    expect((await visitor.get(`/subscription?${name}=${stolen}`)).status).toBe(200);
    for (const wrong of ["", "x", "%00", token.slice(0, -1), "*".repeat(5000)]) {
      const answer = await visitor.get(`/subscription?${name}=${encodeURIComponent(wrong)}`);
      expect([answer.status, answer.headers.has("Set-Cookie")]).toEqual([200, false]);
      expect(answer.text).toContain("This link has ended");
    }
  });

  test("tells no e-mail, password or client_secret when it is decoded [D5]", async () => {
    const { cookie, headers } = await visitor.submit();
    const parts = cookie.split("=");
    const decoded = parts.flatMap((part) => [
      Buffer.from(part, "base64").toString("latin1"),
      Buffer.from(part, "base64url").toString("utf8"),
    ]);
    expect([cookie, ...decoded].join("\n")).not.toMatch(/seti_|example\.com|S3ntinel|Lovelace/i);
    expect(headers.get("Set-Cookie")).toMatch(/; HttpOnly; SameSite=Lax$/i);
    expect(headers.get("Set-Cookie")).toMatch(/; Max-Age=172800; Path=\/;/);
    expect(headers.get("Set-Cookie")?.length).toBeLessThan(4096);
  });

  test("is also Secure and has the __Host- prefix over https [D5]", async () => {
    const secure = await startDeployedSite(() => Response.json({ client_secret: SECRET }));
    const secureVisitor = siteVisitor(secure, ORIGIN);
    const accepted = await secureVisitor.submit();
    expect(accepted.status).toBe(303);
    expect(accepted.headers.get("Set-Cookie")).toMatch(
      /^__Host-signup=[\w.-]{200,}; Max-Age=172800; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    );
    const { cookie: Cookie } = accepted;
    expect((await secureVisitor.get("/subscription", { Cookie })).body).toContain(CARD);
    const unprefixed = { Cookie: Cookie.replace("__Host-", "") };
    expect((await secureVisitor.get("/subscription", unprefixed)).body).toContain(FORM);
    await secure.dispose();
  });
});

describe("caches", () => {
  test("keep no answer with Set-Cookie, and no page with a visitor's data [D6]", async () => {
    const accepted = await visitor.submit();
    const Cookie = accepted.cookie;
    upstream.answersJson(503, {});
    const answers = {
      accepted,
      form: await visitor.get("/subscription"),
      planned: await visitor.get(`/subscription/${fields.package_id}`),
      data: await visitor.get("/subscription.data"),
      card: await visitor.get("/subscription", { Cookie }),
      cleared: await visitor.get("/subscription", { Cookie: "signup=x" }),
      rejected: await visitor.submit(),
      invalid: await visitor.submit({ email: "x" }),
      foreign: await visitor.submit({}, { Origin: "null" }),
      over: await visitor.post("intent=start-over", { Cookie }),
      unknown: await visitor.get("/nope"),
      health: await visitor.get("/health"),
    };
    for (const [name, { headers }] of Object.entries(answers)) {
      expect([name, headers.get("Cache-Control")]).toEqual([name, "no-store"]);
    }
  });

  test.each([
    "/subscription/x.css",
    "/subscription/x.js",
    `/subscription/${fields.package_id}.png`,
    "/pricing%2f.css",
    "/subscription%2fx.css",
    "/pricing/x.css",
    "/pricing;.css",
    "/pricing%00.css",
    "/pricing%0a.css",
    "/subscription/x%2ecss",
    "/subscription/x.data.css",
    "/terms/.well-known.js",
  ])("get a 404 for %s, never a page's body under a cacheable name [D7]", async (path) => {
    const { cookie: Cookie } = await visitor.submit();
    const { status, headers, text } = await visitor.get(path, { Cookie });
    expect(status).toBe(404);
    expect(headers.get("Cache-Control")).toBe("no-store");
    expect(text).not.toMatch(/seti_|form_nonce|Lovelace/);
  });

  test("may keep a public page: it has no cookie, no nonce and nothing of a visitor [D8]", async () => {
    const { cookie: Cookie } = await visitor.submit();
    for (const path of ["/", "/pricing", "/privacy", "/terms"]) {
      const { status, headers, body } = await visitor.get(`${path}?email=eve@example.com`, {
        Cookie,
        "User-Agent": "eves-browser",
        "CF-Connecting-IP": "192.0.2.77",
        "Accept-Language": "eves-language",
      });
      expect(status).toBe(200);
      expect(headers.has("Set-Cookie")).toBe(false);
      expect(headers.get("Content-Security-Policy")).not.toContain("nonce-");
      expect(body).not.toMatch(/nonce|seti_|Lovelace|eve@|eves-|192\.0\.2\.77/);
      const [first, second] = [await visitor.get(path), await visitor.get(path)];
      expect(first.body).toBe(second.body);
    }
  });
});

test("the client_secret is in no log, no URL and no readable cookie, and only in the card step's page [F5]", async () => {
  const holders = visitor.received.filter((answer) => answer.includes(SECRET));
  expect(holders.length).toBeGreaterThan(3);
  for (const holder of holders) {
    const [head = "", ...page] = holder.split("\n\n");
    expect(head).not.toContain("seti_");
    expect(page.join("\n\n")).toMatch(/Please enter your card info|"clientSecret"/);
  }
  await expect.poll(() => site.logs.length).toBeGreaterThan(50);
  expect(logged(site)).not.toMatch(/seti_|Sentinel|example\.com/i);
  expect(logged(site)).not.toContain(PASSWORD);
});
