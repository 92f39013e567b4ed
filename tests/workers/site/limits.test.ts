import { afterAll, expect, test } from "vitest";
import { settingsOf } from "../../../tools/wrangler/worker-settings";
import { sendRaw } from "../../support/visitors/raw-request";
import { formHeaders, SECRET, typed } from "../../support/visitors/site-visitor";
import { startVisitedSite } from "../../support/visitors/visited-site";

/* How many forms one sender may send in a minute; who is one sender is in tests/unit/shared/shared.test.ts. */

const limits = settingsOf("production").site.ratelimits.map(({ name, simple }) => [name, simple.limit]);

/** Bindings that count as production's do, in a minute that does not end. */
const script = `
  import site from "./worker.js";
  const counts = {};
  const limiterOf = ([name, limit]) => [name, {
    limit: async ({ key }) => ({ success: (counts[name + key] = (counts[name + key] ?? 0) + 1) <= limit }),
  }];
  const limiters = Object.fromEntries(${JSON.stringify(limits)}.map(limiterOf));
  export default { fetch: (request, env, context) => site.fetch(request, { ...env, ...limiters }, context) };`;

const { site, upstream, visitor, dispose } = await startVisitedSite({ wrapper: { script } });
afterAll(dispose);

const TOO_MANY = "Too many requests. Please wait a moment and try again.";
const HEADING = '<h1 class="text-title">Too many requests</h1>';
const DISGUISES = ["X-Forwarded-For", "X-Real-IP", "True-Client-IP", "Forwarded"];

test("from the 11th in a minute forms come back with 429, from the 21st unread, whatever their other headers", async () => {
  upstream.answersJson(200, { client_secret: SECRET });
  const me = { "CF-Connecting-IP": "198.51.100.7" };
  for (let index = 0; index < 20; index += 1) {
    const disguised = Object.fromEntries(DISGUISES.map((name) => [name, `203.0.113.${index}`]));
    const { status, headers, text } = await visitor.submit({ email: `a${index}@b.co` }, { ...disguised, ...me });
    expect([status, headers.get("Retry-After")]).toEqual(index < 10 ? [303, null] : [429, "60"]);
    if (index === 10)
      for (const words of [TOO_MANY, `value="${typed.full_name}"`, `value="${typed.zipCode}"`])
        expect(text).toContain(words);
  }
  // Announced and never sent: only who does not wait for it answers.
  const headers: [string, string][] = [...formHeaders(site.url), ["Content-Length", "600"], ...Object.entries(me)];
  for (const [path, type, words] of [
    ["/subscription", "text/html; charset=utf-8", HEADING],
    ["/subscription.data", "text/x-script", TOO_MANY],
  ] as const) {
    const unread = await sendRaw(site.url, { method: "POST", headers, unfinished: true, path });
    expect([unread.status, unread.headers.get("Content-Type")]).toEqual([429, type]);
    expect(unread.body).toContain(words);
  }
  expect(upstream.calls).toHaveLength(10);
  // Pages can still be read, and others are not held back.
  expect((await visitor.get("/subscription", me)).status).toBe(200);
  expect((await visitor.submit({}, { "CF-Connecting-IP": "198.51.100.8" })).status).toBe(303);
});
