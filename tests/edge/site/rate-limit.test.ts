import { beforeAll, beforeEach, expect, test } from "vitest";
import { enoughOfTheMinute, someone } from "../../support/visitors/senders";
import { fields, logged, nonceIn, SECRET, type SiteVisitor, siteVisitor } from "../../support/visitors/site-visitor";
import { startVisitedSite } from "../../support/visitors/visited-site";
import { throwingLimiters, WORDS_OF_THE_ERROR } from "../../support/workers/broken-site";
import type { Upstream } from "../../support/workers/upstream";
import { startSite } from "../../support/workers/workers";

/* How many forms one sender may send in a minute, and who is one sender. */

let upstream: Upstream;
let visitor: SiteVisitor;

beforeAll(async () => {
  const started = await startVisitedSite({ rateLimit: "as configured" });
  ({ upstream, visitor } = started);
  return started.dispose;
});

beforeEach(() => upstream.answersJson(200, { client_secret: SECRET }));

beforeEach(enoughOfTheMinute, 30_000);

async function post(times: number, headers: (index: number) => Record<string, string>, path?: string) {
  const statuses: number[] = [];
  for (let index = 0; index < times; index += 1) {
    statuses.push((await visitor.submit({}, headers(index), path)).status);
  }
  return statuses;
}
const ten = Array.from({ length: 10 }, () => 303);

test("the 11th form in a minute from one IP is answered 429 on the form itself, and goes nowhere [F1]", async () => {
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

test("as many forms again come back; the next one is answered unread, with a page without the form [F1]", async () => {
  const me = someone();
  const form_nonce = await visitor.nonce();
  expect(await post(19, () => me)).toEqual([...ten, ...ten.slice(1).map(() => 429)]);
  expect((await visitor.submit({ form_nonce }, me)).text).toContain(fields.full_name);
  const answer = await visitor.submit({ form_nonce }, me);
  expect([answer.status, answer.headers.get("Retry-After")]).toEqual([429, "60"]);
  expect(answer.text).toContain("Too many requests");
  for (const value of [fields.full_name, fields.city]) expect(answer.text).not.toContain(value);
  expect(upstream.calls).toHaveLength(10);
});

test("all of an IPv6 customer's /64 counts as one sender, the next /64 as another [F1]", async () => {
  const at = (index: number) => ({ "CF-Connecting-IP": `2001:db8:1:2:${index.toString(16)}::${index}` });
  expect(await post(11, at)).toEqual([...ten, 429]);
  expect(await post(1, () => ({ "CF-Connecting-IP": "2001:db8:1:3::1" }))).toEqual([303]);
  expect(upstream.calls).toHaveLength(11);
});

test("wrong forms are counted, and none that another site sent or that could not be read [F1]", async () => {
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

test("a sender who varies X-Forwarded-For and its like is still one sender [F2]", async () => {
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

test("when every rate limiter throws, the sign-up goes on and an error is logged [F3]", async () => {
  const broken = await startSite({ ...throwingLimiters, vars: { SUBSCRIPTION_API_URL: upstream.url } });
  const lucky = siteVisitor(broken);
  expect((await lucky.submit()).status).toBe(303);
  expect((await lucky.post("[]", { "Content-Type": "application/reports+json" }, "/csp-reports")).status).toBe(204);
  expect(upstream.calls).toHaveLength(1);
  await expect.poll(() => broken.logs.filter(({ event }) => event === "rate_limiter_failed")).toHaveLength(5);
  expect(logged(broken)).not.toContain(WORDS_OF_THE_ERROR);
  await broken.dispose();
});

const from = (ip: string | null): Record<string, string> => (ip === null ? {} : { "CF-Connecting-IP": ip });

test.each<[what: string, one: string | null, others: (string | null)[]]>([
  ["an IPv4 address and the IPv6 addresses for it", "192.0.2.1", ["::ffff:192.0.2.1", "::FFFF:c000:0201"]],
  ["one /64 in several spellings", "2001:db8:a:b:c:d:e:f", ["2001:0DB8:000a:b::", "2001:db8:a:b::1"]],
  ["zeros that are left out of the network", "2001:db8::1", ["2001:db8:0:0:1::"]],
  ["zeros that are left out of its middle", "1::2:3:4:5:6:7", ["1:0:2:3::"]],
  ["the network of the loopback address", "::1", ["0:0:0:0:1::"]],
  ["what is no IP at all", "no address", ["no address"]],
  ["what only differs after 45 characters", "x".repeat(60), [`${"x".repeat(45)}y`]],
  ["everyone without an IP", null, [null]],
])("%s are one sender [F1]", async (_, one, others) => {
  await Promise.all(Array.from({ length: 10 }, () => visitor.submit({ email: "nobody" }, from(one))));
  for (const other of [one, ...others]) expect((await visitor.submit({}, from(other))).status).toBe(429);
});
