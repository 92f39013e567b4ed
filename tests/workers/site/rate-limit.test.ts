import { afterAll, beforeEach, expect, test } from "vitest";
import { enoughOfTheMinute, someone } from "../../support/visitors/senders";
import { logged, nonceIn, SECRET, siteVisitor, typed } from "../../support/visitors/site-visitor";
import { startVisitedSite } from "../../support/visitors/visited-site";
import { startSite } from "../../support/workers/workers";
import { throwingLimiters, WORDS_OF_THE_ERROR } from "./broken-site";

/* How many forms one sender may send in a minute; who is one sender is in tests/unit/shared/rate-limit-key.test.ts. */

const { upstream, visitor, dispose } = await startVisitedSite({ rateLimit: "as in production" });
afterAll(dispose);
beforeEach(async () => {
  upstream.answersJson(200, { client_secret: SECRET });
  await enoughOfTheMinute();
}, 30_000);

test("the 11th form in a minute from one IP address gets 429 on the form page and does not reach the API, whatever its other headers [F1] [F2]", async () => {
  const me = someone();
  const form_nonce = await visitor.nonce();
  const disguises = ["X-Forwarded-For", "X-Real-IP", "True-Client-IP", "Forwarded"];
  for (let index = 0; index < 10; index += 1) {
    const disguised = Object.fromEntries(disguises.map((name) => [name, `203.0.113.${index}`]));
    expect((await visitor.submit({}, { ...disguised, ...me })).status).toBe(303);
  }
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

test("when every rate limiter throws, the sign-up continues and an error is logged [F3]", async () => {
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
