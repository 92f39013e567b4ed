import { afterEach, expect, test, vi } from "vitest";
import type { SetupState } from "../../../app/signup/server/setup-intent.server";
import { countingLimiter, siteContext } from "../../support/site-in-process/site-context";

/* What Stripe is asked about a card's setup, and what its answers mean; the step after each state is in steps.test.ts. */

afterEach(() => vi.restoreAllMocks());

const SECRET = "seti_1_secret_2";
type Answer = () => Response;

/** The state of a setup that Stripe answers about, the last answer again and again. */
async function ask(answers: Answer[], { secret = SECRET, limit = 1 } = {}) {
  const limiter = countingLimiter(limit);
  const { context, logged, setupIntents } = siteContext({ CARD_CHECK_RATE_LIMIT: limiter });
  const fetching = vi.spyOn(globalThis, "fetch").mockImplementation(async () => {
    const answer = answers[Math.min(fetching.mock.calls.length, answers.length) - 1];
    return answer?.() ?? Promise.reject(new TypeError("fetch failed"));
  });
  const state = await setupIntents.retrieve(secret, { ip: "2001:db8::1", log: context.log });
  const calls = fetching.mock.calls.map(([url, init]) => ({ url: decodeURIComponent(String(url)), init }));
  return { state, calls, logged: logged.map(([event]) => event), keys: limiter.keys };
}

const made = (fields: object) => () => Response.json({ id: "seti_1", ...fields });
const [OPEN, PROCESSING] = [{ status: "requires_payment_method" }, { status: "processing" }] as const;

test("Stripe is asked with the client secret and the publishable key, within five seconds, and no redirect is followed", async () => {
  const timeout = vi.spyOn(AbortSignal, "timeout");
  const { calls, keys } = await ask([made(PROCESSING)]);
  const url = `https://api.stripe.com/v1/setup_intents/seti_1?client_secret=${SECRET}&expand[0]=payment_method`;
  expect(calls).toMatchObject([{ url, init: { headers: { Authorization: "Bearer pk_test_1" }, redirect: "manual" } }]);
  expect([timeout.mock.calls, keys]).toEqual([[[5_000]], ["2001:db8:0:0::/64"]]);
});

const canceled: number[] = [];
/** An answer whose body has to be canceled, which frees its connection. */
const unread = (status: number) => () =>
  new Response(new ReadableStream({ cancel: () => void canceled.push(status) }, { highWaterMark: 0 }), { status });

test("the setup intent's status is enough when Stripe returns no card", async () => {
  const { state, calls } = await ask([unread(400), made({ status: "succeeded" })]);
  expect(state).toEqual({ status: "succeeded", id: "seti_1", card: undefined });
  expect(calls.map(({ url }) => url.includes("expand"))).toEqual([true, false]);
});

const succeeded = (payment_method: unknown) => made({ status: "succeeded", payment_method });
const failed = (type: string, code?: string) =>
  made({ ...OPEN, last_setup_error: { type, code, message: "Declined." } });
const [UNREACHABLE, INVALID, DECLINED] = [
  { status: "unreachable" },
  { status: "invalid" },
  { status: "open", message: "Declined." },
] as const;

test.each<[string, Answer | undefined, SetupState, log?: string]>([
  ["a payment method as its id", succeeded("pm_1"), { status: "succeeded", id: "seti_1" }],
  ["another payment method", succeeded({}), { status: "succeeded", id: "seti_1" }],
  ["needs authentication", made({ status: "requires_action", last_setup_error: 5 }), { status: "open" }],
  ["incomplete", failed("validation_error"), DECLINED],
  ["an error with words for developers", failed("invalid_request_error"), { status: "open" }],
  ["failed authentication", failed("invalid_request_error", "setup_intent_authentication_failure"), DECLINED],
  ["400", unread(400), INVALID],
  ["401", unread(401), UNREACHABLE, "stripe_key_refused"],
  ["403", unread(403), UNREACHABLE, "stripe_key_refused"],
  ["404", unread(404), INVALID],
  ["429", unread(429), UNREACHABLE],
  ["500", unread(500), UNREACHABLE],
  ["a redirect", unread(302), UNREACHABLE],
  ["a response that is not JSON", () => new Response("<html>"), UNREACHABLE],
  ["another object", () => Response.json({ status: "succeeded" }), UNREACHABLE],
  ["more than 64 KiB", made({ ...PROCESSING, more: "x".repeat(64 * 1024) }), UNREACHABLE],
  ["no answer", undefined, UNREACHABLE],
])("Stripe's answer is read, or its body canceled: %s", async (what, answer, state, ...log) => {
  canceled.length = 0;
  const asked = await ask(answer ? [answer] : []);
  expect([asked.state, asked.logged]).toEqual([state, log]);
  const isUnread = /^\d+$|redirect/.test(what);
  expect(canceled).toHaveLength(isUnread ? asked.calls.length : 0);
});

const secretOf = (id: number, own: number) => `seti_${"a".repeat(id)}_secret_${"b".repeat(own)}`;
const LONGEST = secretOf(255, 1000);
const NONE = [secretOf(0, 1), secretOf(1, 0), secretOf(256, 1), secretOf(1, 1001), "", "seti_1", "pi_1_secret_1"];

test.each([LONGEST, ...NONE, `${SECRET}/`, `x${SECRET}`, `${SECRET}\n`])(
  "what is no client secret is neither asked about nor counted: %.30s",
  async (secret) => {
    const { state, calls, keys } = await ask([made(PROCESSING)], { secret });
    const asked = secret === LONGEST ? 1 : 0;
    expect([state.status, calls.length, keys.length]).toEqual([asked ? "processing" : "invalid", asked, asked]);
  },
);

test("a sender over the limit waits, and the log says so", async () => {
  const { state, calls, logged } = await ask([made({ status: "succeeded" })], { limit: 0 });
  expect([state, calls, logged]).toEqual([UNREACHABLE, [], ["card_check_limited"]]);
});
