import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { senderOf } from "../../app/edge/guard/rate-limit.server";
import { startBrokenSite } from "../support/broken-site/start";
import { fields, logged, nonceIn, SECRET, type SiteVisitor, siteVisitor } from "../support/site-visitor";
import { startUpstream } from "../support/upstream";
import { type RunningWorker, startSite } from "../support/workers";

/* threats.md, section F: abuse and secrets. */

const root = join(import.meta.dirname, "../..");

let upstream: Awaited<ReturnType<typeof startUpstream>>;
let site: RunningWorker;
let visitor: SiteVisitor;
/** What the site wrote, line by line, whether it is JSON or not. */
const output: string[] = [];

beforeAll(async () => {
  upstream = await startUpstream();
  site = await startSite({
    vars: { SUBSCRIPTION_API_URL: upstream.url, SUBSCRIPTION_API_TIMEOUT_MS: "700" },
    rateLimits: "as configured",
    miniflare: {
      handleRuntimeStdio: (...streams: Readable[]) => {
        for (const input of streams) createInterface({ input }).on("line", (line) => output.push(line));
      },
    },
  });
  visitor = siteVisitor(site);
});

beforeEach(() => upstream.answersJson(200, { client_secret: SECRET }));

afterAll(async () => {
  await site.dispose();
  upstream.dispose();
});

let addresses = 0;
/** Somebody who was not here before. */
const someone = () => ({ "CF-Connecting-IP": `198.51.100.${++addresses}` });

/** Waits until the limiter's minute is young enough for a whole test; it counts from one full minute to the next. */
async function youngMinute(): Promise<void> {
  const age = Date.now() % 60_000;
  if (age > 40_000) await new Promise((resolve) => setTimeout(resolve, 60_000 - age));
}

describe("F. the rate limit", () => {
  beforeEach(youngMinute, 30_000);

  async function post(times: number, headers: (index: number) => Record<string, string>, path?: string) {
    const statuses: number[] = [];
    for (let index = 0; index < times; index += 1) {
      statuses.push((await visitor.submit({}, headers(index), path)).status);
    }
    return statuses;
  }
  const ten = Array.from({ length: 10 }, () => 303);

  test("F1: the 11th POST in 60 s from one address is answered 429 on the form itself, upstream 10", async () => {
    const me = someone();
    const form_nonce = await visitor.nonce();
    expect(await post(10, () => me)).toEqual(ten);
    const answer = await visitor.submit({ form_nonce }, me);
    expect(answer.status).toBe(429);
    expect(answer.headers.get("Retry-After")).toBe("60");
    expect(answer.text).toContain("Submission Failed");
    expect(answer.text).toContain("Too many requests. Please wait a moment and try again.");
    expect(answer.body).toMatch(/<title>Error: /);
    const { password: _, confirmPassword: __, ...kept } = fields;
    for (const value of Object.values(kept)) expect(answer.text).toContain(`value="${value}"`);
    expect(answer.body).not.toContain("S3ntinel");
    // Sent again later, it is still the same sign-up.
    expect(nonceIn(answer)).toBe(form_nonce);
    expect(upstream.calls).toHaveLength(10);

    const scripted = await visitor.submit({}, me, "/subscription.data");
    expect(scripted.status).toBe(429);
    expect(scripted.headers.get("Retry-After")).toBe("60");
    expect(scripted.headers.get("Content-Type")).toBe("text/x-script");
    expect(scripted.body).toContain("Too many requests. Please wait a moment and try again.");
    expect(scripted.body).not.toContain("S3ntinel");
    expect(upstream.calls).toHaveLength(10);

    // Pages can still be read, and others are not held back.
    expect((await visitor.get("/subscription", me)).status).toBe(200);
    expect((await visitor.submit({}, someone())).status).toBe(303);
  });

  test("F1: all of an IPv6 customer's /64 counts as one address, the next /64 as another", async () => {
    const at = (index: number) => ({ "CF-Connecting-IP": `2001:db8:1:2:${index.toString(16)}::${index}` });
    expect(await post(11, at)).toEqual([...ten, 429]);
    expect(await post(1, () => ({ "CF-Connecting-IP": "2001:db8:1:3::1" }))).toEqual([303]);
    expect(upstream.calls).toHaveLength(11);
  });

  test("F1: what is counted: forms that were wrong or too long to read, none that another site sent", async () => {
    const me = someone();
    for (let index = 0; index < 15; index += 1) {
      expect((await visitor.submit({}, { ...me, "Sec-Fetch-Site": "cross-site" })).status).toBe(403);
      expect((await visitor.post("{}", { ...me, "Content-Type": "application/json" })).status).toBe(415);
    }
    for (let index = 0; index < 10; index += 1) {
      expect((await visitor.submit({ email: "x" }, me, index % 2 ? "/subscription.data" : undefined)).status).toBe(422);
    }
    expect((await visitor.submit({}, me)).status).toBe(429);
    // Not even then is a body read beyond its cap, or a field taken twice.
    expect((await visitor.post("email=a&email=b", me)).status).toBe(400);
    expect((await visitor.post("x".repeat(17_000), me)).status).toBe(413);
    expect(upstream.calls).toHaveLength(0);
  });

  test("F2: the same with X-Forwarded-For and its like varied is still 429", async () => {
    const me = someone();
    const disguised = (index: number) => ({
      ...me,
      "X-Forwarded-For": `203.0.113.${index}`,
      "X-Real-IP": `203.0.113.${index}`,
      "True-Client-IP": `203.0.113.${index}`,
      Forwarded: `for=203.0.113.${index}`,
    });
    expect(await post(11, disguised)).toEqual([...ten, 429]);
  });

  test("F3: the rate limiter throws: the sign-up proceeds, an error is logged", async () => {
    const broken = await startBrokenSite("throwing-limiter", { vars: { SUBSCRIPTION_API_URL: upstream.url } });
    const lucky = siteVisitor(broken);
    expect((await lucky.submit()).status).toBe(303);
    expect((await lucky.post("[]", REPORTS, "/csp-reports")).status).toBe(204);
    expect(upstream.calls).toHaveLength(1);
    await expect.poll(() => broken.logs.filter(({ event }) => event === "rate_limiter_failed")).toHaveLength(2);
    expect(logged(broken)).not.toContain("words-of-the-error");
    await broken.dispose();
  });

  test.each([
    ["192.0.2.1", "192.0.2.1"],
    ["::ffff:192.0.2.1", "192.0.2.1"],
    ["::FFFF:c000:0201", "192.0.2.1"],
    ["2001:db8:a:b:c:d:e:f", "2001:db8:a:b::/64"],
    ["2001:0DB8:000a:b::", "2001:db8:a:b::/64"],
    ["2001:db8::1", "2001:db8:0:0::/64"],
    ["::1", "0:0:0:0::/64"],
    ["1::2:3:4:5:6:7", "1:0:2:3::/64"],
    ["no address", "no address"],
    ["x".repeat(60), "x".repeat(45)],
    [null, "unknown"],
  ])("F1: the sender at %s is counted as %s", (address, sender) => expect(senderOf(address)).toBe(sender));
});

const REPORTS = { "Content-Type": "application/reports+json" };

describe("reports about the policy", () => {
  beforeEach(youngMinute, 30_000);

  const old = (report: object) => JSON.stringify({ "csp-report": report });
  const violations = (ray: string) =>
    output
      .filter((line) => line.includes(ray))
      .map((line): Record<string, unknown> => JSON.parse(line))
      .filter(({ event }) => event === "csp_violation");
  let ray: string;
  const send = (body: string, type = "application/csp-report", headers = {}) => {
    ray = `ray${output.length}x${Math.random().toString(36).slice(2)}`;
    return visitor.post(
      body,
      { "Content-Type": type, "Sec-Fetch-Site": "cross-site", "CF-Ray": ray, ...someone(), ...headers },
      "/csp-reports",
    );
  };

  test("both formats are logged in one line each: directive, blocked origin and route, nothing else", async () => {
    const answer = await send(
      old({
        "document-uri": `${site.url}/subscription/5a4a55f1-8a3c-4b0e-9d8e-6d2f0c1b7a10?email=ada@example.com`,
        referrer: "https://ada.example/",
        "violated-directive": "script-src 'self'",
        "blocked-uri": "https://evil.test/path?ada@example.com",
        "script-sample": "ada@example.com",
      }),
    );
    expect([answer.status, answer.body]).toEqual([204, ""]);
    const expected = { directive: "script-src", blocked: "https://evil.test", route: "/subscription/:id?" };
    await expect.poll(() => violations(ray)).toEqual([{ event: "csp_violation", request_id: ray, ...expected }]);

    const body = { documentURL: `${site.url}/pricing#x`, effectiveDirective: "style-src-attr", blockedURL: "inline" };
    const report = { type: "csp-violation", age: 1, url: "x", user_agent: "y", body: { ...body, sample: "secret" } };
    expect((await send(JSON.stringify([report]), "application/reports+json")).status).toBe(204);
    const line = { directive: "style-src-attr", blocked: "inline", route: "/pricing" };
    await expect.poll(() => violations(ray)).toMatchObject([line]);
  });

  test("whatever else stands in a report does not reach the log", async () => {
    const body = {
      documentURL: "https://ada.example/Lovelace",
      effectiveDirective: 'Lovelace\n{"event":"request"}',
      blockedURL: "javascript:Lovelace",
    };
    const reports = Array.from({ length: 20 }, () => ({ type: "csp-violation", body }));
    expect((await send(JSON.stringify(reports), "application/reports+json")).status).toBe(204);
    const line = { directive: "other", blocked: "javascript:", route: "foreign" };
    await expect.poll(() => violations(ray)).toMatchObject([line, line, line, line, line]);
    expect((await send(old({ "document-uri": `${site.url}/%`, "blocked-uri": "Lovelace" }))).status).toBe(204);
    await expect
      .poll(() => violations(ray))
      .toMatchObject([{ directive: "other", blocked: "other", route: "unknown" }]);
    expect(output.join("\n")).not.toContain("Lovelace");
  });

  test.each([
    ["no JSON", "{", 400],
    ["nothing", "", 400],
    ["null", "null", 400],
    ["another shape", '{"csp-report":[]}', 400],
    ["numbers for words", old({ "document-uri": 1 }), 400],
    ["prototypes", '{"__proto__":{"csp-report":{}}}', 400],
    ["8,000 brackets", "[".repeat(8000), 400],
    ["no UTF-8", "\xff\xfe", 400],
    ["over 8 KiB", old({ "document-uri": "x".repeat(9000) }), 413],
    ["an empty list", "[]", 204],
  ])("a report of %s is answered without a page, never 500", async (_, body, status) => {
    const answer = await send(body);
    expect([answer.status, answer.body]).toEqual([status, ""]);
  });

  test("other types are 415, other methods 405, and one sender's 21st report in a minute 429", async () => {
    expect((await send("[]", "text/plain")).status).toBe(415);
    const read = await visitor.get("/csp-reports");
    expect([read.status, read.headers.get("Allow")]).toEqual([405, "POST"]);
    const me = someone();
    for (let index = 0; index < 20; index += 1) expect((await send("[]", "application/json", me)).status).toBe(204);
    const last = await send("[]", "application/json", me);
    expect([last.status, last.headers.get("Retry-After")]).toEqual([429, "60"]);
    expect((await visitor.submit({}, me)).status).toBe(303);
  });
});

describe("F. logs", () => {
  afterEach(() => {
    // Miniflare itself says when it is ready; everything else is the site's.
    expect(output.filter((line) => !isJson(line) && line !== "")).toEqual([]);
  });

  function isJson(line: string): boolean {
    try {
      return typeof JSON.parse(line) === "object";
    } catch {
      return false;
    }
  }

  test("F6: a name with a line break and JSON in it: lines of valid JSON, no personal data in any of them", async () => {
    const evil = 'Lovelace\r\n{"event":"forged","x":"Lovelace"}';
    upstream.answersJson(500, { error: "Lovelace" });
    await visitor.submit({ full_name: evil }, someone());
    await visitor.submit({ full_name: 'Lovelace {"event":"forged"}' }, someone());
    await visitor.submit({}, { ...someone(), "User-Agent": "Lovelace", Referer: `${site.url}/Lovelace` });
    await visitor.post(`Lovelace=${encodeURIComponent(evil)}`, someone());
    await visitor.get(`/Lovelace/ada@example.com?name=${encodeURIComponent(evil)}`);
    await visitor.get("/subscription/Lovelace", { Cookie: "signup=Lovelace", "CF-Ray": "Lovelace\tx" });
    await visitor.get("/%4c%6fvelace%0a", { "CF-Ray": "last-of-f6" });
    await expect.poll(() => output.join("\n")).toContain("last-of-f6");
    expect(output.join("\n")).not.toMatch(/Lovelace|forged|ada@|5550123|Example Street|Springfield|62701/i);
  });

  test("each request is one line: id, method, route, status, outcome and duration; its events have the same id", async () => {
    const requests: [string, () => Promise<unknown>, object[]][] = [
      [
        "log-a",
        () => visitor.get("/subscription/ada?x=y", { "CF-Ray": "log-a" }),
        [{ event: "request", method: "GET", route: "/subscription/:id?", status: 200, outcome: "answered" }],
      ],
      [
        "log-b",
        () => visitor.get("/nope/ada", { "CF-Ray": "log-b" }),
        [
          { event: "not_found", status: 404 },
          { event: "request", method: "GET", route: "/*", status: 404, outcome: "answered" },
        ],
      ],
      [
        "log-c",
        () => visitor.submit({}, { "CF-Ray": "log-c", Origin: "null", ...someone() }),
        [
          { event: "refused", status: 403, reason: "Request refused" },
          { event: "request", method: "POST", route: "/subscription/:id?", status: 403, outcome: "refused" },
        ],
      ],
      [
        "log-d",
        () => visitor.submit({ email: "x", city: "" }, { "CF-Ray": "log-d", ...someone() }),
        [
          { event: "signup_invalid", fields: ["email", "city"] },
          { event: "request", method: "POST", route: "/subscription/:id?", status: 422, outcome: "answered" },
        ],
      ],
      [
        "log-e",
        () => visitor.submit({}, { "CF-Ray": "log-e", ...someone() }),
        [
          {
            event: "request",
            method: "POST",
            route: "/subscription/:id?",
            status: 303,
            outcome: "answered",
            signup: "created",
          },
        ],
      ],
      [
        "log-f",
        () => {
          upstream.answersJson(503, {});
          return visitor.submit({}, { "CF-Ray": "log-f", ...someone() });
        },
        [
          { event: "signup_failed", outcome: "rejected", status: 503 },
          { event: "request", method: "POST", route: "/subscription/:id?", status: 503, outcome: "failed" },
        ],
      ],
    ];
    for (const [id, send, lines] of requests) {
      await send();
      const written = () =>
        output.filter((line) => line.includes(`"${id}"`)).map((line): Record<string, unknown> => JSON.parse(line));
      await expect.poll(() => written().length).toBe(lines.length);
      expect(written()).toMatchObject(lines.map((line) => ({ ...line, request_id: id })));
      expect(written().at(-1)?.duration_ms).toBeGreaterThanOrEqual(0);
    }
  });
});

describe("F. what a visitor sees of failures and of others' input", () => {
  test("F7: a route throws: 'Unexpected Application Error' with a request id, no stack in HTML or data", async () => {
    const throwing = await startBrokenSite("throwing-routes");
    const unlucky = siteVisitor(throwing);
    const ray = { "CF-Ray": "id-of-this-request" };
    const pages = [
      await unlucky.get("/pricing", ray),
      await unlucky.get("/subscription", ray),
      await unlucky.submit({}, ray),
    ];
    for (const { status, body, headers } of pages) {
      expect(status).toBe(500);
      expect(body).toContain("<h1");
      expect(body).toContain("Unexpected Application Error");
      expect(body).toContain("Return to Home");
      expect(body).toContain("id-of-this-request");
      expect(headers.get("Cache-Control")).toBe("no-store");
    }
    const data = [await unlucky.get("/subscription.data", ray), await unlucky.submit({}, ray, "/subscription.data")];
    for (const { status, headers } of data) {
      expect(status).toBe(500);
      expect(headers.get("X-Request-Id")).toBe("id-of-this-request");
    }
    for (const { body } of [...pages, ...data]) {
      expect(body).not.toMatch(/words-of-the-error|throwing-routes|\bat \w+ \(|S3ntinel/);
    }
    expect((await unlucky.get("/")).status).toBe(200);
    await expect.poll(() => logged(throwing)).toContain('"error":"Error"');
    expect(logged(throwing)).not.toMatch(/words-of-the-error|S3ntinel/);
    await throwing.dispose();
  });

  test("F8: the browser's files hold no key, no name of a secret and no source map", async () => {
    const folder = join(root, "public/build");
    const names = await readdir(folder, { recursive: true, withFileTypes: true });
    const files = names.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    expect(files.length).toBeGreaterThan(10);
    for (const file of files) {
      expect(file).not.toMatch(/\.map$/);
      const text = await readFile(file, "utf8");
      expect(
        text.match(/\b(sk|rk)_(test|live|local)|whsec_|SESSION_SECRET|STRIPE_\w+|SUBSCRIPTION_API\w*/g),
      ).toBeNull();
      expect(text).not.toMatch(/sourceMappingURL|only-for-local-development|Idempotency-Key|signup-session/);
    }
  });

  test.each([
    "?return_url=//evil.test",
    "?return_url=https://evil.test&redirect=//evil.test&next=//evil.test",
    "?continue=https://evil.test",
    "?setup_intent=seti_evil&setup_intent_client_secret=evil.test&redirect_status=succeeded",
  ])("F9: %s is ignored: Stripe's return_url is the site's own address", async (query) => {
    const { cookie: Cookie } = await visitor.submit({}, someone());
    for (const path of [`/subscription${query}`, `/subscription.data${query}`]) {
      const { status, body } = await visitor.get(path, { Cookie, "X-Forwarded-Host": "evil.test" });
      expect(status).toBe(200);
      expect(body).toContain(`${site.url}/subscription`);
      expect(body).not.toMatch(/evil\.test|seti_evil/);
    }
    const over = await visitor.post("intent=start-over", { Cookie, ...someone() }, `/subscription${query}`);
    expect(over.headers.get("Location")).toBe("/subscription");
  });

  test("F10: scripts in a name, and </script> in page data, are escaped, never run", async () => {
    const evil = {
      full_name: '"><script>alert(1)</script>',
      company_name: "</script><script>alert(2)</script><!--",
      address: "<img src=x onerror=alert(3)>",
      city: "{{7*7}}#{7*7}'\"&lt;",
    };
    const form = await visitor.submit({ ...evil, email: "x" }, someone());
    const { cookie: Cookie } = await visitor.submit(evil, someone());
    const card = await visitor.get("/subscription", { Cookie });
    const { cookie: done } = await visitor.post("intent=card-set-up", { Cookie, ...someone() });
    const success = await visitor.get("/subscription", { Cookie: done });
    const unknown = await visitor.get("/subscription/%3Cscript%3Ealert(4)%3C%2Fx%3E?id=%22%3E%3Cscript%3Ealert(5)");
    for (const { status, body } of [form, card, success, unknown]) {
      expect([200, 404, 422]).toContain(status);
      expect(body).not.toMatch(/<script>alert|<img src=x/);
      // No element closes early: as many scripts end as begin.
      expect(body.match(/<script\b/g)?.length).toBe(body.match(/<\/script>/g)?.length);
    }
    expect(form.body).toContain("&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;");
    expect(success.body).toContain("&lt;/script&gt;&lt;script&gt;alert(2)");
  });
});
