import { afterEach, expect, test, vi } from "vitest";
import { fields } from "../../support/person";
import { countingLimiter, post, siteContext } from "../../support/site-in-process/site-context";

/* Turnstile checks a form if its keys are set and the network is over its limit. */

afterEach(() => vi.restoreAllMocks());

const KEYS = { TURNSTILE_SITE_KEY: "a-site-key-of-turnstile", TURNSTILE_SECRET_KEY: "a-secret-key-of-turnstile" };
const refuses = (code: string) => () => Response.json({ success: false, "error-codes": [code] });

interface Visit {
  /** How many forms its network may send. */
  limit?: number;
  keys?: object;
  token?: string;
  turnstile?: () => Response | Promise<Response>;
}

async function submit({ limit = 0, keys = KEYS, token = "a-token", turnstile }: Visit) {
  const [sender, network] = [countingLimiter(), countingLimiter(limit)];
  const site = siteContext({ ...keys, SIGNUP_RATE_LIMIT: sender, SIGNUP_NETWORK_RATE_LIMIT: network });
  if (turnstile) site.turnstileCalls.answer = turnstile;
  const answer = await post(site, { ...fields, "cf-turnstile-response": token });
  return { ...answer, site, sender, network, events: site.logged.map(([event]) => event) };
}

test("a sender and its network are counted apart", async () => {
  const { sender, network } = await submit({ limit: 1 });
  expect(sender.keys).toEqual(["192.0.2.7"]);
  expect(network.keys).toEqual(["192.0.2.0/24"]);
});

test("a form of a network under its limit passes unasked", async () => {
  const answer = await submit({ limit: 1, token: "" });
  expect(answer).toHaveStatus(303);
  expect(answer.site.turnstileCalls.asked).toEqual([]);
});

test("a form of a network over its limit is refused where Turnstile has no keys", async () => {
  const answer = await submit({ keys: {} });
  expect(answer).toHaveStatus(429);
  expect(answer).toShowNotice("Submission Failed");
  expect(answer.reply?.challenge).toBeUndefined();
  expect(answer.site.logged).toEqual([["request", { outcome: "refused", reason: "Too many requests" }]]);
});

test("a form without a token is asked for one", async () => {
  const answer = await submit({ token: "" });
  expect(answer).toHaveStatus(429);
  expect(answer).toHaveHeader("Retry-After", "60");
  expect(answer).toShowNotice("One more step");
  expect(answer.reply?.challenge).toBe(KEYS.TURNSTILE_SITE_KEY);
  expect(answer.events).toEqual(["signup_challenged"]);
  expect(answer.site.api.calls).toEqual([]);
});

test("a token that is too long for Turnstile is not sent to it", async () => {
  const answer = await submit({ token: "x".repeat(2049) });
  expect(answer).toHaveStatus(429);
  expect(answer.site.turnstileCalls.asked).toEqual([]);
});

test.each([
  { name: "failed", code: "invalid-input-response" },
  { name: "was used before", code: "timeout-or-duplicate" },
])("a form whose token $name is asked for another", async ({ code }) => {
  const answer = await submit({ turnstile: refuses(code) });
  expect(answer).toHaveStatus(429);
  expect(answer).toShowNotice("One more step");
});

test.each([
  { name: "a token", token: "a-token" },
  { name: "a token as long as Turnstile's limit", token: "x".repeat(2048) },
])("a form with $name that Turnstile takes passes", async ({ token }) => {
  const answer = await submit({ token });
  expect(answer).toHaveStatus(303);
  expect(answer.events).toEqual(["request"]);
});

test("Turnstile gets the token alone, for three seconds at most, and no redirect is followed", async () => {
  const timeout = vi.spyOn(AbortSignal, "timeout");
  const { site } = await submit({});
  const sent = new URLSearchParams({ secret: KEYS.TURNSTILE_SECRET_KEY, response: "a-token" });
  expect(site.turnstileCalls.asked).toEqual([sent.toString()]);
  expect(vi.mocked(fetch).mock.lastCall?.[1]?.redirect).toBe("manual");
  expect(timeout.mock.calls.flat()).toContain(3_000);
});

test.each<{ name: string; turnstile: () => Response | Promise<Response>; logs: object }>([
  {
    name: "its keys are wrong",
    turnstile: refuses("invalid-input-secret"),
    logs: { cause: "answer", codes: ["invalid-input-secret"] },
  },
  { name: "it does not answer", turnstile: () => Promise.reject(new Error("down")), logs: { cause: "connection" } },
  {
    name: "it does not answer in time",
    turnstile: () => Promise.reject(new DOMException("late", "TimeoutError")),
    logs: { cause: "deadline" },
  },
  { name: "it answers something else", turnstile: () => new Response("<html>"), logs: { cause: "answer" } },
  {
    name: "it answers with an error's page",
    turnstile: () => new Response("<html>", { status: 500 }),
    logs: { cause: "status", status: 500 },
  },
])("a form passes, and the log has the cause, if Turnstile fails: $name", async ({ turnstile, logs }) => {
  const { site, ...answer } = await submit({ turnstile });
  expect(answer).toHaveStatus(303);
  expect(site.logged).toContainEqual(["turnstile_failed", logs]);
});
