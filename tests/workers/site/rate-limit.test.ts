import { afterAll, beforeEach, expect, test } from "vitest";
import { enoughOfTheMinute, someone } from "../../support/visitors/senders";
import { logged, nonceIn, SECRET, siteVisitor, typed } from "../../support/visitors/site-visitor";
import { startVisitedSite } from "../../support/visitors/visited-site";
import { throwingLimiters, WORDS_OF_THE_ERROR } from "../../support/workers/broken-site";
import { startSite } from "../../support/workers/workers";

/* How many forms one sender may send in a minute; who is one sender is in tests/unit/shared/rate-limit-key.test.ts. */

const { upstream, visitor, dispose } = await startVisitedSite({ rateLimit: "as in production" });
afterAll(dispose);
beforeEach(async () => {
  upstream.answersJson(200, { client_secret: SECRET });
  await enoughOfTheMinute();
}, 30_000);

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
  for (const value of Object.values(typed)) expect(answer.text).toContain(`value="${value}"`);
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
  const broken = await startSite({
    ...throwingLimiters,
    vars: { SUBSCRIPTION_API_URL: upstream.url, BOT_CHECK: "true" },
  });
  const lucky = siteVisitor(broken);
  expect((await lucky.submit()).status).toBe(303);
  expect((await lucky.post("[]", { "Content-Type": "application/reports+json" }, "/csp-reports")).status).toBe(204);
  expect(upstream.calls).toHaveLength(1);
  await expect.poll(() => broken.logs.filter(({ event }) => event === "rate_limiter_failed")).toHaveLength(4);
  expect(logged(broken)).not.toContain(WORDS_OF_THE_ERROR);
  await broken.dispose();
});
