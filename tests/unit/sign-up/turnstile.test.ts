import { expect, test } from "vitest";
import { countingLimiter, post, siteContext } from "../../support/site-in-process/site-context";
import { fields } from "../../support/visitors/site-visitor";

/* Turnstile is asked when its keys are set and a network is over its limit. */

const keys = { TURNSTILE_SITE_KEY: "a-site-key-of-turnstile", TURNSTILE_SECRET_KEY: "a-secret-key-of-turnstile" };
const over = countingLimiter(0);
const OVER = { ...keys, SIGNUP_NETWORK_RATE_LIMIT: over };
const token = { "cf-turnstile-response": "a-token" };
const refuses = (code: string) => () => Response.json({ success: false, "error-codes": [code] });

type Says = (() => Response | Promise<Response>) | undefined;
type Becomes = [status: number, notice: string | undefined, asked: number];

test.each<[what: string, settings: object, form: object, says: Says, becomes: Becomes]>([
  ["under the limit", keys, {}, undefined, [303, undefined, 0]],
  ["without keys, under the limit", {}, {}, undefined, [303, undefined, 0]],
  ["without keys, over the limit", { SIGNUP_NETWORK_RATE_LIMIT: over }, {}, undefined, [429, "Submission Failed", 0]],
  ["over the limit, without a token", OVER, {}, undefined, [429, "One more step", 0]],
  ["over the limit, passed", OVER, token, undefined, [303, undefined, 1]],
  ["failed", OVER, token, refuses("invalid-input-response"), [429, "One more step", 1]],
  ["used twice", OVER, token, refuses("timeout-or-duplicate"), [429, "One more step", 1]],
  ["wrong keys", OVER, token, refuses("invalid-input-secret"), [303, undefined, 1]],
  ["no answer", OVER, token, () => Promise.reject(new Error("down")), [303, undefined, 1]],
  ["a strange answer", OVER, token, () => new Response("<html>"), [303, undefined, 1]],
  [
    "a token that is too long",
    OVER,
    { "cf-turnstile-response": "x".repeat(2049) },
    undefined,
    [429, "One more step", 0],
  ],
])("a form is asked, passes or passes because Turnstile fails: %s", async (_, settings, more, says, becomes) => {
  const site = siteContext({ ...settings });
  if (says) site.turnstileCalls.answer = says;
  const answer = await post(site, { ...fields, ...more });
  expect([answer.status, answer.reply?.notice?.title, site.turnstileCalls.asked.length]).toEqual(becomes);
  const isAsked = answer.reply?.notice?.title === "One more step";
  expect(answer.reply?.challenge).toBe(isAsked ? keys.TURNSTILE_SITE_KEY : undefined);
  expect(answer.headers.get("Retry-After")).toBe(answer.status === 429 ? "60" : null);
  expect(site.api.calls).toHaveLength(answer.status === 303 ? 1 : 0);
  // Only the token goes to Turnstile.
  for (const sent of site.turnstileCalls.asked) expect(sent).toBe("secret=a-secret-key-of-turnstile&response=a-token");
  const failsOpen = answer.status === 303 && says !== undefined;
  const events = site.logged.map(([event]) => event);
  expect([events.includes("turnstile_failed"), events.includes("signup_challenged")]).toEqual([failsOpen, isAsked]);
});

test("networks are counted by /24 and /48", async () => {
  const limiter = countingLimiter();
  const site = siteContext({ SIGNUP_NETWORK_RATE_LIMIT: limiter });
  for (const ip of ["192.0.2.7", "2001:db8:1:2::3"]) await post({ ...site, context: { ...site.context, ip } }, fields);
  expect(limiter.keys).toEqual(["192.0.2.0/24", "2001:db8:1::/48"]);
});
