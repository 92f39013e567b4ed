import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { type RawRequest, sendRaw } from "../../support/visitors/raw-request";
import {
  fastest,
  fields,
  formHeaders,
  logged,
  PASSWORD,
  SECRET,
  withoutStyle,
} from "../../support/visitors/site-visitor";
import { startVisitedSite } from "../../support/visitors/visited-site";

/* What workerd makes of a form's body, and how long it takes; the rules are in tests/unit/pipeline/request-body.test.ts. */

const { upstream, site, visitor, dispose } = await startVisitedSite();
const own = formHeaders(site.url);
afterAll(dispose);
beforeEach(() => upstream.answersJson(200, { client_secret: SECRET }));

const form = () => new URLSearchParams(fields).toString();
const raw = (request: RawRequest) => sendRaw(site.url, request);
const sent = (): Record<string, unknown> => JSON.parse(upstream.calls.at(-1)?.body ?? "{}");

const contractKeys = Object.keys(fields)
  .filter((name) => name !== "confirmPassword")
  .sort();

describe("a form", () => {
  test("without a content type gives 415 and does not reach the API [B1]", async () => {
    const headers = own.filter(([name]) => name !== "Content-Type");
    expect((await raw({ method: "POST", path: "/subscription", headers, body: form() })).status).toBe(415);
    expect(upstream.calls).toHaveLength(0);
  });

  test("may be multipart; truncated it gives 400, with a file 415, with 50,000 parts 413 [B2]", async () => {
    const part = (name: string, value: string, more = "") =>
      `--b\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`;
    const whole = Object.entries(fields)
      .map(([name, value]) => part(name, value))
      .join("");
    const statusOf = async (body: string) => {
      const headers: [string, string][] = [...own.slice(0, 2), ["Content-Type", "multipart/form-data; boundary=b"]];
      return (await raw({ method: "POST", path: "/subscription", headers, body })).status;
    };
    expect(await statusOf(whole.slice(0, -40))).toBe(400);
    expect(await statusOf(`${whole}${part("x", "1", '; filename="x.txt"')}--b--\r\n`)).toBe(415);
    expect(await statusOf(part("a", "1").repeat(50_000))).toBe(413);
    expect(upstream.calls).toHaveLength(0);
    expect(await statusOf(`${whole}--b--\r\n`)).toBe(303);
    expect(upstream.calls).toHaveLength(1);
  });

  test("over 16 KB comes back with all its values and a message at the longest field, also without JavaScript [B3]", async () => {
    const sent = { form_nonce: await visitor.nonce(), ...fields, city: "x".repeat(17_000) };
    const { status, text } = await visitor.post(new URLSearchParams(sent).toString());
    expect(status).toBe(413);
    for (const part of ["Submission Failed", "Please shorten your entries", "City must be at most 80 characters"])
      expect(text.includes(part), part).toBe(true);
    for (const name of [
      "full_name",
      "company_name",
      "email",
      "phone",
      "address",
      "state",
      "zipCode",
      "country",
    ] as const)
      expect(text.includes(`value="${fields[name]}"`), name).toBe(true);
    expect(text.includes(PASSWORD)).toBe(false);
    expect(upstream.calls).toHaveLength(0);
  });

  test("that is refused gets a notice for the form's script [B1] [B3] [B6]", async () => {
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

const names = (count: number) => Array.from({ length: count }, (_, index) => `${index.toString(36)}=`).join("&");

test.each([
  ["as many unique names as fit", "B4", names(3000), 400],
  ["nothing but separators", "B4", "&".repeat(16_000), 400],
  ["20,000 unique names, too many bytes", "B4", names(20_000), 413],
  ["a name with an index of four thousand millions", "B5", `${form()}&a[4294967294]=1`, 303],
  ["a path 5,000 dots deep", "B5", `${form()}&${"a.".repeat(5000)}a=1`, 303],
  ["a path of 4,000 brackets", "B5", `${form()}&a${"[0]".repeat(4000)}=1`, 303],
  ["an email of 15 KB", "B10", form().replace(/email=[^&]*/, `email=${"a".repeat(14_000)}@b.co`), 422],
  ["an email of dots", "B10", form().replace(/email=[^&]*/, `email=${"a.".repeat(7000)}@b.co`), 422],
  ["a name of combining marks", "B10", `full_name=${"\u0315\u0300\u0334".repeat(2600)}`, 422],
  ["a name of quotation marks", "B10", `full_name=${'"'.repeat(15_000)}`, 422],
  ["a name of spaces between two letters", "B10", `full_name=a${"\u2003".repeat(5000)}b`, 422],
])("%s takes under 50 ms, and the response is under 64 KB [%s]", async (...[, , body, status]) => {
  const time = await fastest(async () => {
    const answer = await visitor.post(body);
    expect(answer.status).toBe(status);
    expect(withoutStyle(answer.body).length).toBeLessThan(64 * 1024);
  });
  expect(time).toBeLessThan(50);
});

describe("a form's fields", () => {
  test.each([
    ["more than it has", "B13", "role=admin&status=active&amount=0"],
    ["those that would pollute a prototype", "B7", "__proto__.x=1&constructor.prototype.x=1&email.__proto__.x=1"],
    ["Conform's fields with nonsense", "B8", "__intent__=not json&__state__={"],
  ])("reach the API only if they are in the contract: %s [%s] [N1] [N2]", async (...[, , more]) => {
    expect((await visitor.post(`${form()}&${more}`)).status).toBe(303);
    const [call] = upstream.calls;
    expect(upstream.calls).toHaveLength(1);
    expect([call?.method, call?.url]).toEqual(["POST", "/subscription"]);
    expect(Object.keys(sent()).sort()).toEqual(contractKeys);
    expect(Object.values(sent()).filter((value) => typeof value !== "string")).toEqual([]);
    for (const name of ["authorization", "cookie", "origin", "referer", "x-forwarded-for"]) {
      expect(call?.headers[name]).toBeUndefined();
    }
  });

  test.each(["Ada%00Lovelace", "Ada%ff%fe"])(
    "give an error at the field, never 500, for a name of %s [B9]",
    async (name) => {
      const answer = await visitor.post(form().replace("Ada+Lovelace", name));
      expect(answer.status).toBe(422);
      expect(answer.text).toContain("Contact name must not contain control or unreadable characters");
      expect(upstream.calls).toHaveLength(0);
    },
  );

  test("a password with spaces and letters beyond ASCII reaches the API byte for byte [B12]", async () => {
    const decomposed = "  P\uff30ass word e\u0301\u{1F600}1 \ufeff ";
    const wide = `aA1!${"\u6f22".repeat(252)}`;
    for (const password of [PASSWORD, decomposed, wide, "\ttab A1a\t", '"><script>A1</script>']) {
      await visitor.submit({ password, confirmPassword: password });
      expect(sent().password).toBe(password);
    }
  });

  test("a password that is not text is an error and is never repaired [B12]", async () => {
    const broken = form().replaceAll(/(password|confirmPassword)=[^&]*/g, "$1=Passw0rd!%ff");
    expect((await visitor.post(broken)).text).toContain("Password must not contain unreadable characters");
    expect(upstream.calls).toHaveLength(0);
  });
});

test("the password is in no response, cookie or log line, whatever the body, and no form gave a 5xx [F4]", async () => {
  expect(visitor.received.filter((answer) => /S3ntinel|p(ä|%C3%A4|\\u00e4)ssword/.test(answer))).toEqual([]);
  const requests = () => site.logs.filter(({ event }) => event === "request");
  await expect.poll(() => requests().length).toBeGreaterThan(visitor.received.length);
  expect(logged(site)).not.toMatch(/S3ntinel|Lovelace|example\.com|5550123|Springfield/i);
  expect(requests().filter(({ status }) => Number(status) >= 500)).toEqual([]);
});
