import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type RawRequest, sendRaw } from "../support/raw-request";
import {
  fastest,
  fields,
  logged,
  nonceIn,
  PASSWORD,
  SECRET,
  type SiteVisitor,
  siteVisitor,
} from "../support/site-visitor";
import { startUpstream } from "../support/upstream";
import { type RunningWorker, startSite } from "../support/workers";

/* threats.md, sections A and B: what every request passes before Remix sees it. */

let upstream: Awaited<ReturnType<typeof startUpstream>>;
let site: RunningWorker;
let visitor: SiteVisitor;
let own: [string, string][];

beforeAll(async () => {
  upstream = await startUpstream();
  site = await startSite({ vars: { SUBSCRIPTION_API_URL: upstream.url } });
  visitor = siteVisitor(site);
  own = [
    ["Origin", site.url],
    ["Sec-Fetch-Site", "same-origin"],
    ["Content-Type", "application/x-www-form-urlencoded"],
  ];
});

beforeEach(() => upstream.answersJson(200, { client_secret: SECRET }));

afterAll(async () => {
  await site.dispose();
  upstream.dispose();
});

const form = () => new URLSearchParams(fields).toString();
const raw = (request: RawRequest) => sendRaw(site.url, request);

describe("A. origin, method and address", () => {
  const foreign: [string, string, Record<string, string>][] = [
    ["A1", "Sec-Fetch-Site: cross-site", { "Sec-Fetch-Site": "cross-site" }],
    ["A4", "Sec-Fetch-Site: same-site, a sibling subdomain", { "Sec-Fetch-Site": "same-site" }],
    ["A6", "Origin: null", { Origin: "null" }],
    ["A6", "Origin: %%%", { Origin: "%%%" }],
    [
      "A7",
      "X-Forwarded-Host and Origin of evil.test",
      { "X-Forwarded-Host": "evil.test", Origin: "https://evil.test" },
    ],
    ["A7", "Forwarded and Origin of evil.test", { Forwarded: "host=evil.test", Origin: "https://evil.test" }],
    ["A1", "an Origin on another port", { Origin: "http://localhost:1" }],
    ["A1", "an Origin without the port", { Origin: "http://localhost" }],
    ["A1", "an Origin with a path", { Origin: "http://localhost/" }],
    ["A1", "an unknown Sec-Fetch-Site", { "Sec-Fetch-Site": "Same-Origin, cross-site" }],
  ];

  test.each(foreign)("%s: a form with %s is answered 403 with a readable page, upstream 0", async (_, __, headers) => {
    const answer = await visitor.submit({}, headers);
    expect(answer.status).toBe(403);
    expect(answer.text).toContain("This form was not sent from our site.");
    expect(answer.text).toContain("Return to Home");
    expect(upstream.calls).toHaveLength(0);
  });

  test("A1: the same header sent twice, once foreign, is answered 403, upstream 0", async () => {
    const answer = await raw({
      method: "POST",
      path: "/subscription",
      headers: [...own, ["Origin", "https://evil.test"]],
      body: form(),
    });
    expect(answer.status).toBe(403);
    expect(upstream.calls).toHaveLength(0);
  });

  test.each(["routes%2Fsubscription", "routes%2Fsubscription.(%24id)", "root", "", "x&_data=root"])(
    "A2: ?_data=%s with a foreign Origin is answered 4xx, upstream 0",
    async (id) => {
      for (const path of [`/subscription?_data=${id}`, `/subscription.data?_data=${id}`]) {
        const answer = await visitor.submit({}, { Origin: "https://evil.test" }, path);
        expect(answer.status).toBeGreaterThanOrEqual(400);
        expect(answer.status).toBeLessThan(500);
        // Nothing of the site uses this old door, so it is closed for the site's own origin too.
        expect((await visitor.submit({}, {}, path)).status).toBe(400);
        expect((await visitor.get(path)).status).toBe(400);
      }
      expect(upstream.calls).toHaveLength(0);
    },
  );

  test("A3: the .data URL is answered 403 cross-site, and works same-origin", async () => {
    for (const [, , headers] of foreign) {
      expect((await visitor.submit({}, headers, "/subscription.data")).status).toBe(403);
    }
    expect(upstream.calls).toHaveLength(0);
    const answer = await visitor.submit({}, {}, "/subscription.data");
    expect(answer.status).toBe(202);
    expect(answer.cookie).not.toBe("");
    expect(upstream.calls).toHaveLength(1);
  });

  test("A3: a refusal of the .data URL is the form's notice, as its script reads it", async () => {
    const answer = await visitor.submit({}, { "Sec-Fetch-Site": "cross-site" }, "/subscription.data");
    expect(answer.headers.get("Content-Type")).toBe("text/x-script");
    expect(answer.body).toContain("Submission Failed");
    expect(answer.body).toContain("Access forbidden. Please contact support.");
  });

  test("A3: another site's page cannot ask for a page's data, and only pages with a script have any", async () => {
    for (const from of ["cross-site", "same-site"]) {
      expect((await visitor.get("/subscription.data", { "Sec-Fetch-Site": from })).status).toBe(403);
    }
    for (const path of ["/_root.data", "/pricing.data", "/health.data", "/nope.data", "/.data", "/subscription.DATA"]) {
      expect((await visitor.get(path)).status).toBe(404);
    }
    for (const query of ["_routes=root", "_routes=nope", "_routes=", "index", "index&_routes=%00"]) {
      expect((await visitor.get(`/subscription.data?${query}`)).status).toBe(200);
    }
  });

  test("A5: a form without Sec-Fetch-Site and Origin passes only with the form's own fresh nonce and no foreign Referer", async () => {
    const nonce = await visitor.nonce();
    const [time, random, signature] = nonce.split(".");
    const send = (form_nonce: string, headers: [string, string][] = []) =>
      raw({
        method: "POST",
        path: "/subscription",
        headers: [["Content-Type", "application/x-www-form-urlencoded"], ...headers],
        body: new URLSearchParams({ ...fields, form_nonce }).toString(),
      });
    for (const forged of ["", "x", "..", `${nonce}x`, `x${nonce}`, `${time}.${random}.`, `0.${random}.${signature}`]) {
      expect((await send(forged)).status).toBe(403);
    }
    for (const referer of ["https://evil.test/", `${site.url}.evil.test/`, "%%%", "null"]) {
      expect((await send(nonce, [["Referer", referer]])).status).toBe(403);
    }
    expect(upstream.calls).toHaveLength(0);
    expect((await send(nonce)).status).toBe(303);
    expect((await send(nonce, [["Referer", `${site.url}/subscription`]])).status).toBe(303);
  });

  test("A5: Origin = self without Sec-Fetch-Site, an old browser, passes", async () => {
    const headers = own.filter(([name]) => name !== "Sec-Fetch-Site");
    expect((await raw({ method: "POST", path: "/subscription", headers, body: form() })).status).toBe(303);
  });

  const pages = ["/", "/pricing", "/privacy", "/terms", "/subscription", "/subscription.data", "/health", "/nope"];
  test.each(["PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND", "TRACE", "QUERY", "MKCOL", "LOCK"])(
    "A8: %s on any page is answered 405 with Allow, upstream 0",
    async (method) => {
      for (const path of pages) {
        const answer = await raw({ method, path, headers: own, body: form() });
        expect(answer.status).toBe(405);
        const takesForms = path.startsWith("/subscription");
        expect(answer.headers.get("Allow")).toBe(takesForms ? "GET, HEAD, POST" : "GET, HEAD");
        expect(answer.body).toContain("Method not allowed");
      }
      expect(upstream.calls).toHaveLength(0);
    },
  );

  test("A8: a form for a page that takes none is answered 405; a header cannot change the method", async () => {
    for (const path of ["/", "/?index", "/pricing", "/health", "/refused", "/__manifest", "/subscription/x/y"]) {
      const answer = await visitor.submit({}, {}, path);
      expect([path, answer.status, answer.headers.get("Allow")]).toEqual([path, 405, "GET, HEAD"]);
    }
    expect((await visitor.get("/subscription", { "X-HTTP-Method-Override": "POST" })).status).toBe(200);
    expect(upstream.calls).toHaveLength(0);
    expect((await visitor.submit({}, { "X-HTTP-Method-Override": "DELETE" })).status).toBe(303);
  });

  test("A8: HEAD has the headers of GET and no body", async () => {
    for (const path of pages) {
      const [head, get] = [await raw({ method: "HEAD", path }), await visitor.get(path)];
      expect([path, head.status, head.body]).toEqual([path, get.status, ""]);
    }
  });

  test("A9: GET with values in the query is the empty form; they are not echoed, upstream 0", async () => {
    const answer = await visitor.get(
      `/subscription?email=a@b.co&password=${encodeURIComponent(PASSWORD)}&full_name=Mallory`,
    );
    expect(answer.status).toBe(200);
    expect(answer.body).not.toMatch(/a@b\.co|a%40b|S3ntinel|Mallory/);
    expect(upstream.calls).toHaveLength(0);
  });

  test.each(
    [
      "//evil.test",
      "///evil.test/..",
      "/%5cevil.test",
      "/\\evil.test",
      "/%2f%2fevil.test",
      "/%00",
      "/%",
      "/%ff",
      "/%c0%ae%c0%ae/",
      "/%e2%80%a8",
      "/..%2f..%2fetc%2fpasswd",
      "/subscription/a%0d%0aSet-Cookie:x=y",
      `/${"a".repeat(16 * 1024)}`,
      `/${"a/".repeat(8 * 1024)}`,
      `/subscription/${"%41".repeat(5000)}`,
    ].map((path) => [path.slice(0, 40), path] as const),
  )("A10: %s is no page, never a redirect and never 500", async (_, path) => {
    for (const method of ["GET", "HEAD", "POST"]) {
      const answer = await raw({ method, path, headers: method === "POST" ? own : [] });
      expect([400, 404]).toContain(answer.status);
      expect(answer.headers.get("Location")).toBeNull();
    }
  });

  test("A10: an address of over 8 KB is answered 414", async () => {
    for (const query of [`id=${"x".repeat(9000)}`, "a=1&".repeat(4000), `continue=${"*".repeat(50_000)}`]) {
      expect((await raw({ path: `/subscription?${query}` })).status).toBe(414);
    }
  });

  test("A10: other spellings of a page's address get the same care as the page", async () => {
    for (const path of [
      "/Subscription",
      "/%73ubscription",
      "/subscription/",
      "/subscription//",
      "/SUBSCRIPTION.data",
    ]) {
      const answer = await raw({ path });
      expect([path, answer.status, answer.headers.get("Cache-Control")]).toEqual([path, 200, "no-store"]);
      const isPage = answer.headers.get("Content-Type")?.startsWith("text/html");
      expect(answer.headers.get("Content-Security-Policy")).toContain(
        isPage ? "https://js.stripe.com" : "default-src 'none'",
      );
      expect((await visitor.submit({}, { "Sec-Fetch-Site": "cross-site" }, path)).status).toBe(403);
    }
    expect(upstream.calls).toHaveLength(0);
  });
});

describe("B. the body", () => {
  test.each([
    "application/json",
    "text/plain",
    "",
    "application/x-www-form-urlencodedx",
    "text/plain, application/x-www-form-urlencoded",
  ])("B1: the content type '%s' is answered 415, upstream 0", async (type) => {
    const headers = own.filter(([name]) => name !== "Content-Type");
    if (type !== "") headers.push(["Content-Type", type]);
    for (const path of ["/subscription", "/subscription.data"]) {
      expect((await raw({ method: "POST", path, headers, body: form() })).status).toBe(415);
    }
    expect(upstream.calls).toHaveLength(0);
  });

  test("B2: multipart with 50,000 parts, truncated, or without boundary is answered 415, its body unread", async () => {
    const part = '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n';
    const bodies = {
      "multipart/form-data; boundary=b": [part.repeat(50_000), part.slice(0, 30)],
      "multipart/form-data": [part],
    };
    for (const [type, variants] of Object.entries(bodies)) {
      const headers: [string, string][] = [...own.slice(0, 2), ["Content-Type", type]];
      for (const body of variants) {
        // Left open: only an answer that does not wait for the body comes at all.
        const answer = await raw({ method: "POST", path: "/subscription", headers, body, unfinished: true });
        expect(answer.status).toBe(415);
      }
    }
    expect(upstream.calls).toHaveLength(0);
  });

  test("B3: Content-Length: 16385 and 64 KB chunked are answered 413; 16384 is read; the next request works", async () => {
    const post = (body: string, chunked: boolean) =>
      raw({
        method: "POST",
        path: "/subscription",
        headers: [...own, chunked ? ["Transfer-Encoding", "chunked"] : ["Content-Length", String(body.length)]],
        body,
      });
    expect((await post("x".repeat(16_385), false)).status).toBe(413);
    expect((await post("x".repeat(64 * 1024), true)).status).toBe(413);
    expect((await post("x".repeat(16_385), true)).status).toBe(413);
    expect((await post("x".repeat(16_384), true)).status).toBe(422);
    expect((await post("x".repeat(16_384), false)).status).toBe(422);
    expect(upstream.calls).toHaveLength(0);
    expect((await visitor.submit()).status).toBe(303);
  });

  test("B3: a Content-Length without its body is given up after ten seconds: 408, and the site goes on", async () => {
    const stalled = raw({
      method: "POST",
      path: "/subscription",
      headers: [...own, ["Content-Length", "1000"]],
      body: form().slice(0, 100),
      unfinished: true,
    });
    expect((await visitor.submit()).status).toBe(303);
    const answer = await stalled;
    expect(answer.status).toBe(408);
    expect(answer.body).toContain("The form did not arrive in time.");
    expect(answer.durationMs).toBeLessThan(13_000);
    expect(upstream.calls).toHaveLength(1);
  });

  test("B3: too long, malformed and mistyped forms come to the form's script as its notice", async () => {
    const send = (body: string, headers = {}) => visitor.post(body, headers, "/subscription.data");
    const answers = [
      [await send("x".repeat(17_000)), 413, "Please shorten your entries"],
      [await send("email=a&email=b"), 400, "Invalid subscription data. Please check your information and try again."],
      [await send("{}", { "Content-Type": "application/json" }), 415, "The form could not be read."],
    ] as const;
    for (const [answer, status, words] of answers) {
      expect(answer.status).toBe(status);
      expect(answer.headers.get("Content-Type")).toBe("text/x-script");
      expect(answer.body).toContain("Submission Failed");
      expect(answer.body).toContain(words);
    }
  });

  const names = (count: number) => Array.from({ length: count }, (_, index) => `${index.toString(36)}=`).join("&");
  test.each([
    ["33 fields", names(33), 400],
    ["as many unique names as fit", names(3000), 400],
    ["nothing but separators", "&".repeat(16_000), 400],
    // 80 KB of them: the size is noticed first.
    ["20,000 unique names", names(20_000), 413],
  ])("B4: %s are refused in under 50 ms", async (_, body, status) => {
    const time = await fastest(async () => expect((await visitor.post(body)).status).toBe(status));
    expect(time).toBeLessThan(50);
    expect(upstream.calls).toHaveLength(0);
  });

  test.each([
    ["a[4294967294]=1", "a[4294967294]=1", 303],
    ["a[9999999]=1", "a[9999999]=1", 303],
    ["a path 5,000 dots deep", `${"a.".repeat(5000)}a=1`, 303],
    ["a path of 5,000 brackets", `a${"[0]".repeat(4000)}=1`, 303],
    ["name=x 20,000 times", "name=x&".repeat(20_000), 413],
    ["name=x 30 times", "name=x&".repeat(30).slice(0, -1), 400],
    ["name=x 20 times", "name=x&".repeat(20).slice(0, -1), 303],
  ])("B5: %s beside a valid form takes under 50 ms, answers under 64 KB, never 500", async (_, body, status) => {
    const time = await fastest(async () => {
      const answer = await visitor.post(`${form()}&${body}`);
      expect(answer.status).toBe(status);
      expect(answer.body.length).toBeLessThan(64 * 1024);
    });
    expect(time).toBeLessThan(50);
  });

  test.each(["email=a@b.co&email=c@d.co", "email=a@b.co&%65mail=c@d.co", "password=x&password=x", "intent=a&intent=b"])(
    "B6: %s is answered 400, upstream 0",
    async (body) => {
      expect((await visitor.post(body)).status).toBe(400);
      expect(upstream.calls).toHaveLength(0);
    },
  );

  test.each([
    "__proto__.x=1",
    "constructor.prototype.x=1",
    "__proto__[x]=1",
    "__proto__=1",
    "email.__proto__.x=1",
    "email[__proto__]=1",
    "toString=1",
  ])("B7: %s is dropped and pollutes nothing", async (body) => {
    expect((await visitor.post(`${form()}&${body}`)).status).toBe(303);
    expect(Object.keys(JSON.parse(upstream.calls[0]?.body ?? "")).sort()).toEqual(contractKeys);
    expect((await visitor.get("/health")).status).toBe(200);
  });

  test.each(["__intent__=not json", "__state__={", "__intent__={}&__state__=[]", "__intent__=%00"])(
    "B8: %s is ignored",
    async (body) => {
      expect((await visitor.post(`${form()}&${body}`)).status).toBe(303);
      expect((await visitor.post(body)).status).toBe(422);
    },
  );

  test.each([
    ["NUL", "Ada%00Lovelace"],
    ["CR/LF", "Ada%0d%0aLovelace"],
    ["U+202E", "Ada%E2%80%AELovelace"],
    ["%ff%fe", "Ada%ff%fe"],
    ["half a surrogate pair", "Ada%ED%A0%80"],
  ])("B9: %s in a name is a field error, never 500", async (_, value) => {
    const answer = await visitor.post(form().replace("Ada+Lovelace", value));
    expect(answer.status).toBe(422);
    expect(answer.text).toContain("Contact name contains characters that cannot be used");
    expect(upstream.calls).toHaveLength(0);
  });

  test.each([
    ["a@b.co%0d%0aBcc:x@y.z", "a@b.co\r\nBcc:x@y.z"],
    ["a 15 KB e-mail", `${"a".repeat(15_000)}@b.co`],
    ["15 KB of dots", `${"a.".repeat(7000)}@b.co`],
    ["many @", "@".repeat(5000)],
  ])("B10: %s is a field error in under 50 ms", async (_, email) => {
    const time = await fastest(async () => {
      const answer = await visitor.submit({ email });
      expect(answer.status).toBe(422);
      expect(answer.text).toContain("Please enter a valid email address");
    });
    expect(time).toBeLessThan(50);
    expect(upstream.calls).toHaveLength(0);
  });

  test("B11: a fullwidth look-alike of an ASCII e-mail is refused", async () => {
    for (const email of ["ａｄａ@example.com", "ada＠example.com", "ada@example．com", "аda@example.com"]) {
      expect((await visitor.submit({ email })).text).toContain("Please enter a valid email address");
    }
    expect(upstream.calls).toHaveLength(0);
  });

  test("B12: a password with spaces and non-ASCII letters reaches upstream byte for byte", async () => {
    const nfd = "  P\uff30ass word e\u0301\u{1F600}1 \ufeff ";
    const wide = `aA1!${"\u6f22".repeat(252)}`;
    for (const password of [PASSWORD, nfd, wide, "\ttab A1a\t", '"><script>A1</script>']) {
      await visitor.submit({ password, confirmPassword: password });
      expect(JSON.parse(upstream.calls.at(-1)?.body ?? "{}").password).toBe(password);
    }
  });

  test("B12: an over-long password, or one that is no text, is an error and never cut", async () => {
    const password = `aA1!${"x".repeat(253)}`;
    expect((await visitor.submit({ password, confirmPassword: password })).text).toContain(
      "Password must be at most 256 characters",
    );
    const broken = form().replaceAll(/(password|confirmPassword)=[^&]*/g, "$1=Passw0rd!%ff");
    expect((await visitor.post(broken)).text).toContain("Password contains characters that cannot be used");
    expect(upstream.calls).toHaveLength(0);
  });

  const contractKeys = Object.keys(fields)
    .filter((name) => name !== "confirmPassword")
    .sort();
  test("B13: role=admin&status=active&amount=0: upstream sees the contract's keys and no others", async () => {
    await visitor.post(`${form()}&role=admin&status=active&amount=0`);
    const [call] = upstream.calls;
    expect(call?.url).toBe("/subscription");
    expect(Object.keys(JSON.parse(call?.body ?? "")).sort()).toEqual(contractKeys);
    expect(call?.headers["content-type"]).toBe("application/json");
    for (const name of ["authorization", "cookie", "origin", "referer", "x-forwarded-for"]) {
      expect(call?.headers[name]).toBeUndefined();
    }
  });

  test("B14: two bad fields without JavaScript: title, summary with links, all values but the passwords", async () => {
    const form_nonce = await visitor.nonce();
    const answer = await visitor.submit({ email: "nobody", zipCode: "1", form_nonce });
    expect(answer.status).toBe(422);
    expect(answer.body).toMatch(/<title>Error: /);
    expect(answer.body).toContain('href="#signup-email"');
    expect(answer.body).toContain('href="#signup-zipCode"');
    expect(answer.text).toContain("Please enter a valid email address");
    expect(answer.text).toContain("ZIP code must be at least 5 characters");
    const { email: _, zipCode: __, password, confirmPassword, ...kept } = fields;
    for (const value of Object.values(kept)) expect(answer.text).toContain(`value="${value}"`);
    expect(nonceIn(answer)).toBe(form_nonce);
    expect(upstream.calls).toHaveLength(0);
  });
});

test("F4: the password of all these requests is in no answer, cookie or log line", async () => {
  expect(visitor.received.length).toBeGreaterThan(200);
  expect(visitor.received.filter((answer) => /S3ntinel|p(ä|%C3%A4|\\u00e4)ssword/.test(answer))).toEqual([]);
  await expect.poll(() => site.logs.filter(({ event }) => event === "request").length).toBeGreaterThan(400);
  expect(logged(site)).not.toMatch(/S3ntinel|Lovelace|example\.com|5550123|Springfield/i);
});

test("none of all these requests was answered with a 5xx", () => {
  expect(site.logs.filter(({ event, status }) => event === "request" && Number(status) >= 500)).toEqual([]);
});
