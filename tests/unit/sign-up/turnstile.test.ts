import { afterEach, expect, test, vi } from "vitest";
import { countingLimiter, post, siteContext } from "../../support/site-in-process/site-context";
import { fields } from "../../support/visitors/site-visitor";

/* Turnstile is asked when its keys are set and a network is over its limit. */

afterEach(() => vi.restoreAllMocks());

const keys = { TURNSTILE_SITE_KEY: "a-site-key-of-turnstile", TURNSTILE_SECRET_KEY: "a-secret-key-of-turnstile" };
const OVER_WITHOUT_KEYS = { SIGNUP_NETWORK_RATE_LIMIT: countingLimiter(0) };
const OVER = { ...keys, ...OVER_WITHOUT_KEYS };
const refuses = (code: string) => () => Response.json({ success: false, "error-codes": [code] });

type Says = (() => Response | Promise<Response>) | undefined;
const PASSES = [303, undefined] as const;
const ASKS = [429, "One more step"] as const;
const [token, tooLong] = ["a-token", "x".repeat(2049)];

test.each<[what: string, settings: object, token: string, says: Says, becomes: readonly unknown[], asked: number]>([
  ["under the limit", keys, "", undefined, PASSES, 0],
  ["without keys, under the limit", {}, "", undefined, PASSES, 0],
  ["without keys, over the limit", OVER_WITHOUT_KEYS, "", undefined, [429, "Submission Failed"], 0],
  ["over the limit, without a token", OVER, "", undefined, ASKS, 0],
  ["over the limit, passed", OVER, token, undefined, PASSES, 1],
  ["a token as long as Turnstile's limit", OVER, tooLong.slice(1), undefined, PASSES, 1],
  ["a token that is too long", OVER, tooLong, undefined, ASKS, 0],
  ["failed", OVER, token, refuses("invalid-input-response"), ASKS, 1],
  ["used twice", OVER, token, refuses("timeout-or-duplicate"), ASKS, 1],
  ["wrong keys", OVER, token, refuses("invalid-input-secret"), PASSES, 1],
  ["no answer", OVER, token, () => Promise.reject(new Error("down")), PASSES, 1],
  ["a strange answer", OVER, token, () => new Response("<html>"), PASSES, 1],
])(
  "a form is asked, passes or passes because Turnstile fails: %s",
  async (_, settings, token, says, becomes, asked) => {
    const timeout = vi.spyOn(AbortSignal, "timeout");
    const site = siteContext({ ...settings });
    if (says) site.turnstileCalls.answer = says;
    const answer = await post(site, { ...fields, "cf-turnstile-response": token });
    expect([answer.status, answer.reply?.notice?.title]).toEqual(becomes);
    const isAsked = answer.reply?.notice?.title === "One more step";
    expect(answer.reply?.challenge).toBe(isAsked ? keys.TURNSTILE_SITE_KEY : undefined);
    expect(answer.headers.get("Retry-After")).toBe(answer.status === 429 ? "60" : null);
    expect(site.api.calls).toHaveLength(answer.status === 303 ? 1 : 0);
    // Only the token goes to Turnstile, for three seconds at most, and no redirect is followed.
    const sent = new URLSearchParams({ secret: keys.TURNSTILE_SECRET_KEY, response: token }).toString();
    expect(site.turnstileCalls.asked).toEqual(asked ? [sent] : []);
    expect(vi.mocked(fetch).mock.calls.map(([, init]) => init?.redirect)).toEqual(asked ? ["manual"] : []);
    expect(timeout.mock.calls.some(([milliseconds]) => milliseconds === 3_000)).toBe(asked === 1);
    const failsOpen = answer.status === 303 && says !== undefined;
    const events = site.logged.map(([event]) => event);
    expect([events.includes("turnstile_failed"), events.includes("signup_challenged")]).toEqual([failsOpen, isAsked]);
  },
);

test("networks are counted by /24 and /48", async () => {
  const limiter = countingLimiter();
  const site = siteContext({ SIGNUP_NETWORK_RATE_LIMIT: limiter });
  for (const ip of ["192.0.2.7", "2001:db8:1:2::3"]) await post({ ...site, context: { ...site.context, ip } }, fields);
  expect(limiter.keys).toEqual(["192.0.2.0/24", "2001:db8:1::/48"]);
});
