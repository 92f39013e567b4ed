import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type RawRequest, sendRaw } from "../../support/visitors/raw-request";
import {
  fastest,
  fields,
  formHeaders,
  logged,
  nonceIn,
  PASSWORD,
  SECRET,
  type SiteVisitor,
  withoutStyle,
} from "../../support/visitors/site-visitor";
import { startVisitedSite } from "../../support/visitors/visited-site";
import type { Upstream } from "../../support/workers/upstream";
import type { RunningWorker } from "../../support/workers/workers";

/* What a form's body may be: its type, its size, its fields. */

let upstream: Upstream;
let site: RunningWorker;
let visitor: SiteVisitor;
let own: [string, string][];

beforeAll(async () => {
  const started = await startVisitedSite();
  ({ upstream, site, visitor } = started);
  own = formHeaders(site.url);
  return started.dispose;
});

beforeEach(() => upstream.answersJson(200, { client_secret: SECRET }));

const form = () => new URLSearchParams(fields).toString();
const raw = (request: RawRequest) => sendRaw(site.url, request);

describe("the type and the size", () => {
  test.each([
    "application/json",
    "text/plain",
    "",
    "application/x-www-form-urlencodedx",
    "text/plain, application/x-www-form-urlencoded",
  ])("the content type '%s' is answered 415, and goes nowhere [B1]", async (type) => {
    const headers = own.filter(([name]) => name !== "Content-Type");
    if (type !== "") headers.push(["Content-Type", type]);
    for (const path of ["/subscription", "/subscription.data"]) {
      expect((await raw({ method: "POST", path, headers, body: form() })).status).toBe(415);
    }
    expect(upstream.calls).toHaveLength(0);
  });

  test("multipart with 50,000 parts, truncated, or without boundary is answered 415, its body unread [B2]", async () => {
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

  test("Content-Length: 16385 and 64 KB chunked are answered 413; 16384 is read; the next request works [B3]", async () => {
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

  test("forms too long, malformed and of another type get a notice that the form's script reads [B1] [B3] [B6]", async () => {
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
});

describe("the fields", () => {
  const names = (count: number) => Array.from({ length: count }, (_, index) => `${index.toString(36)}=`).join("&");
  test.each([
    ["33 fields", names(33), 400],
    ["as many unique names as fit", names(3000), 400],
    ["nothing but separators", "&".repeat(16_000), 400],
    // 80 KB of them: the size is noticed first.
    ["20,000 unique names", names(20_000), 413],
  ])("%s are refused in under 50 ms [B4]", async (_, body, status) => {
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
  ])("%s beside a valid form takes under 50 ms, answers under 64 KB, never 500 [B5]", async (_, body, status) => {
    const time = await fastest(async () => {
      const answer = await visitor.post(`${form()}&${body}`);
      expect(answer.status).toBe(status);
      expect(withoutStyle(answer.body).length).toBeLessThan(64 * 1024);
    });
    expect(time).toBeLessThan(50);
  });

  test.each(["email=a@b.co&email=c@d.co", "email=a@b.co&%65mail=c@d.co", "password=x&password=x", "intent=a&intent=b"])(
    "%s is answered 400, and goes nowhere [B6]",
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
  ])("%s is dropped and pollutes nothing [B7]", async (body) => {
    expect((await visitor.post(`${form()}&${body}`)).status).toBe(303);
    expect(Object.keys(JSON.parse(upstream.calls[0]?.body ?? "")).sort()).toEqual(contractKeys);
    expect((await visitor.get("/health")).status).toBe(200);
  });

  test.each(["__intent__=not json", "__state__={", "__intent__={}&__state__=[]", "__intent__=%00"])(
    "%s is ignored [B8]",
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
  ])("%s in a name is a field error, never 500 [B9]", async (_, value) => {
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
  ])("%s is a field error in under 50 ms [B10]", async (_, email) => {
    const time = await fastest(async () => {
      const answer = await visitor.submit({ email });
      expect(answer.status).toBe(422);
      expect(answer.text).toContain("Please enter a valid email address");
    });
    expect(time).toBeLessThan(50);
    expect(upstream.calls).toHaveLength(0);
  });

  test.each([
    ["7,800 combining marks", "\u0315\u0300\u0334".repeat(2600)],
    ["15 KB of quotation marks", '"'.repeat(15_000)],
    ["15 KB of spaces between two letters", `a${"\u2003".repeat(5000)}b`],
  ])("a name of %s is a field error in under 50 ms, and comes back cut [B10]", async (_, full_name) => {
    const time = await fastest(async () => {
      const answer = await visitor.post(`full_name=${full_name}`);
      expect(answer.status).toBe(422);
      expect(answer.text).toContain("Contact name must be at most 100 characters");
      expect(withoutStyle(answer.body).length).toBeLessThan(64 * 1024);
    });
    expect(time).toBeLessThan(50);
    expect(upstream.calls).toHaveLength(0);
  });

  test("a fullwidth look-alike of an ASCII e-mail is refused [B11]", async () => {
    for (const email of ["ａｄａ@example.com", "ada＠example.com", "ada@example．com", "аda@example.com"]) {
      expect((await visitor.submit({ email })).text).toContain("Please enter a valid email address");
    }
    expect(upstream.calls).toHaveLength(0);
  });

  test("a password with spaces and non-ASCII letters reaches the API byte for byte [B12]", async () => {
    const nfd = "  P\uff30ass word e\u0301\u{1F600}1 \ufeff ";
    const wide = `aA1!${"\u6f22".repeat(252)}`;
    for (const password of [PASSWORD, nfd, wide, "\ttab A1a\t", '"><script>A1</script>']) {
      await visitor.submit({ password, confirmPassword: password });
      expect(JSON.parse(upstream.calls.at(-1)?.body ?? "{}").password).toBe(password);
    }
  });

  test("an over-long password, or one that is no text, is an error and never cut [B12]", async () => {
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
  test("of a form with role=admin&status=active&amount=0 the API sees the contract's keys and no others [B13] [N1] [N2]", async () => {
    await visitor.post(`${form()}&role=admin&status=active&amount=0`);
    const [call] = upstream.calls;
    expect(upstream.calls).toHaveLength(1);
    expect([call?.method, call?.url]).toEqual(["POST", "/subscription"]);
    const sent: Record<string, unknown> = JSON.parse(call?.body ?? "");
    expect(Object.keys(sent).sort()).toEqual(contractKeys);
    expect(Object.values(sent).filter((value) => typeof value !== "string")).toEqual([]);
    expect(call?.headers["content-type"]).toBe("application/json");
    for (const name of ["authorization", "cookie", "origin", "referer", "x-forwarded-for"]) {
      expect(call?.headers[name]).toBeUndefined();
    }
  });

  test("two bad fields without JavaScript: the title, a summary with links, and all values but the passwords [B14]", async () => {
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

test("the password of all these requests is in no answer, cookie or log line [F4]", async () => {
  expect(visitor.received.length).toBeGreaterThan(60);
  expect(visitor.received.filter((answer) => /S3ntinel|p(ä|%C3%A4|\\u00e4)ssword/.test(answer))).toEqual([]);
  await expect.poll(() => site.logs.filter(({ event }) => event === "request").length).toBeGreaterThan(60);
  expect(logged(site)).not.toMatch(/S3ntinel|Lovelace|example\.com|5550123|Springfield/i);
});

test("none of all these requests was answered with a 5xx", () => {
  expect(site.logs.filter(({ event, status }) => event === "request" && Number(status) >= 500)).toEqual([]);
});
