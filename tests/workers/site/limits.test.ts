import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { unstable_readConfig } from "wrangler";
import { sendRaw } from "../../support/visitors/raw-request";
import { formHeaders, SECRET, typed } from "../../support/visitors/site-visitor";
import { startVisitedSite } from "../../support/visitors/visited-site";

/* How many forms one sender may send in a minute; who is one sender is in tests/unit/shared/shared.test.ts. */

const config = fileURLToPath(new URL("../../../wrangler.toml", import.meta.url));
const { ratelimits } = unstable_readConfig({ config, env: "production" }, { hideWarnings: true });
const limitOf = ({ name, simple }: { name: string; simple: { limit: number } }) => [name, simple.limit];
const limits = Object.fromEntries(ratelimits.map(limitOf));

/** Bindings that count as production's do, in a minute that does not end. */
const COUNTING = `
  import site from "./worker.js";
  const counts = new Map();
  const limiters = Object.entries(${JSON.stringify(limits)}).map(([name, limit]) => [name, {
    async limit({ key }) {
      const count = (counts.get(name + key) ?? 0) + 1;
      counts.set(name + key, count);
      return { success: count <= limit };
    },
  }]);
  export default { fetch: (request, env, context) => site.fetch(request, { ...env, ...Object.fromEntries(limiters) }, context) };`;

const counting = await startVisitedSite({ wrapper: { script: COUNTING } });
afterAll(counting.dispose);

const TOO_MANY = "Too many requests. Please wait a moment and try again.";

test("the 11th form in a minute comes back with 429, and from the 21st on nothing is read, whatever its other headers", async () => {
  const { site, upstream, visitor } = counting;
  upstream.answersJson(200, { client_secret: SECRET });
  const me = { "CF-Connecting-IP": "198.51.100.7" };
  const disguises = ["X-Forwarded-For", "X-Real-IP", "True-Client-IP", "Forwarded"];
  for (let index = 0; index < 10; index += 1) {
    const disguised = Object.fromEntries(disguises.map((name) => [name, `203.0.113.${index}`]));
    expect((await visitor.submit({ email: `a${index}@b.co` }, { ...disguised, ...me })).status).toBe(303);
  }
  for (let index = 10; index < 20; index += 1) {
    const { status, headers, text, body } = await visitor.submit({}, me);
    expect([status, headers.get("Retry-After"), upstream.calls.length]).toEqual([429, "60", 10]);
    expect(text).toContain(TOO_MANY);
    expect(body).toMatch(/<title>Error: /);
    for (const value of Object.values(typed)) expect(text).toContain(`value="${value}"`);
  }
  // Announced and never sent: only who does not wait for it answers.
  const announced: [string, string][] = [...formHeaders(site.url), ["Content-Length", "600"], ...Object.entries(me)];
  const request = { method: "POST", headers: announced, unfinished: true };
  const page = await sendRaw(site.url, { ...request, path: "/subscription" });
  expect([page.status, page.headers.get("Retry-After")]).toEqual([429, "60"]);
  expect(page.body).toContain('<h1 class="text-title">Too many requests</h1>');
  const script = await sendRaw(site.url, { ...request, path: "/subscription.data" });
  expect([script.status, script.headers.get("Content-Type")]).toEqual([429, "text/x-script"]);
  expect(script.body).toContain(TOO_MANY);
  expect(upstream.calls).toHaveLength(10);
  // Pages can still be read, and others are not held back.
  expect((await visitor.get("/subscription", me)).status).toBe(200);
  expect((await visitor.submit({}, { "CF-Connecting-IP": "198.51.100.8" })).status).toBe(303);
});
