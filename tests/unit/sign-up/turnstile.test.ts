import { afterEach, expect, test, vi } from "vitest";
import { fields } from "../../support/person";
import { countingLimiter, post, siteContext } from "../../support/site-in-process/site-context";

/* Turnstile is asked when its keys are set and a network is over its limit. */

afterEach(() => vi.restoreAllMocks());

const KEYS = { TURNSTILE_SITE_KEY: "a-site-key-of-turnstile", TURNSTILE_SECRET_KEY: "a-secret-key-of-turnstile" };
const refuses = (code: string) => () => Response.json({ success: false, "error-codes": [code] });

type Says = (() => Response | Promise<Response>) | undefined;
const PASSES = [303, undefined];
const ASKS = [429, "One more step"];
const [token, tooLong] = ["a-token", "x".repeat(2049)];

test.each<[what: string, limit: 0 | 1, keys: object, token: string, Says, becomes: readonly unknown[], asked: number]>([
  ["under the limit", 1, KEYS, "", undefined, PASSES, 0],
  ["without keys, over the limit", 0, {}, "", undefined, [429, "Submission Failed"], 0],
  ["over the limit, without a token", 0, KEYS, "", undefined, ASKS, 0],
  ["over the limit, passed", 0, KEYS, token, undefined, PASSES, 1],
  ["a token as long as Turnstile's limit", 0, KEYS, tooLong.slice(1), undefined, PASSES, 1],
  ["a token that is too long", 0, KEYS, tooLong, undefined, ASKS, 0],
  ["failed", 0, KEYS, token, refuses("invalid-input-response"), ASKS, 1],
  ["used twice", 0, KEYS, token, refuses("timeout-or-duplicate"), ASKS, 1],
  ["wrong keys", 0, KEYS, token, refuses("invalid-input-secret"), PASSES, 1],
  ["no answer", 0, KEYS, token, () => Promise.reject(new Error("down")), PASSES, 1],
  ["a strange answer", 0, KEYS, token, () => new Response("<html>"), PASSES, 1],
])("a form is asked, passes or passes because Turnstile fails: %s", async (_, ...given) => {
  const [limit, keys, token, says, becomes, asked] = given;
  const timeout = vi.spyOn(AbortSignal, "timeout");
  const [sender, network] = [countingLimiter(), countingLimiter(limit)];
  const site = siteContext({ ...keys, SIGNUP_RATE_LIMIT: sender, SIGNUP_NETWORK_RATE_LIMIT: network });
  if (says) site.turnstileCalls.answer = says;
  const answer = await post(site, { ...fields, "cf-turnstile-response": token });
  expect([answer.status, answer.reply?.notice?.title]).toEqual(becomes);
  expect([sender.keys, network.keys]).toEqual([["192.0.2.7"], ["192.0.2.0/24"]]);
  const isAsked = becomes === ASKS;
  expect(answer.reply?.challenge).toBe(isAsked ? KEYS.TURNSTILE_SITE_KEY : undefined);
  expect(answer.headers.get("Retry-After")).toBe(answer.status === 429 ? "60" : null);
  expect(site.api.calls).toHaveLength(answer.status === 303 ? 1 : 0);
  // Only the token goes to Turnstile, for three seconds at most, and no redirect is followed.
  const sent = new URLSearchParams({ secret: KEYS.TURNSTILE_SECRET_KEY, response: token }).toString();
  expect(site.turnstileCalls.asked).toEqual(asked ? [sent] : []);
  expect(vi.mocked(fetch).mock.calls.map(([, init]) => init?.redirect)).toEqual(asked ? ["manual"] : []);
  expect(timeout.mock.calls.some(([milliseconds]) => milliseconds === 3_000)).toBe(asked === 1);
  const failsOpen = answer.status === 303 && says !== undefined;
  const events = site.logged.map(([event]) => event);
  expect([events.includes("turnstile_failed"), events.includes("signup_challenged")]).toEqual([failsOpen, isAsked]);
});
