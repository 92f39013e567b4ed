import { afterEach, expect, test, vi } from "vitest";
import type { SetupState } from "../../../app/signup/server/setup-intent.server";
import { countingLimiter, siteContext } from "../../support/site-in-process/site-context";

/* What Stripe is asked about a card's setup, and what its answers mean. */

afterEach(() => vi.restoreAllMocks());

const SECRET = "seti_1_secret_2";

/** The state of a setup that Stripe answers about, the last answer again and again. */
async function ask(answers: (() => Response)[], { secret = SECRET, allowed = true } = {}) {
  const limiter = countingLimiter(allowed ? 1 : 0);
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

test("the setup intent's status is enough when Stripe returns no card", async () => {
  const refused = () => new Response("{}", { status: 400 });
  const { state, calls } = await ask([refused, made({ status: "succeeded" })]);
  expect(state).toEqual({ status: "succeeded", id: "seti_1", card: undefined });
  expect(calls.map(({ url }) => url.includes("expand"))).toEqual([true, false]);
  expect((await ask([refused])).state).toEqual({ status: "invalid" });
});

const card = { brand: "visa", last4: "4242" };
const succeeded = (payment_method: unknown) => made({ status: "succeeded", payment_method });
const failed = (type: string, code?: string) =>
  made({ ...OPEN, last_setup_error: { type, code, message: "Declined." } });
const answers = (status: number) => () => new Response(status === 302 ? null : "", { status });
const UNREACHABLE = { status: "unreachable" } as const;

test.each<[string, (() => Response) | undefined, SetupState, log?: string]>([
  ["a card", succeeded({ card }), { status: "succeeded", id: "seti_1", card }],
  ["a payment method as its id", succeeded("pm_1"), { status: "succeeded", id: "seti_1" }],
  ["another payment method", succeeded({}), { status: "succeeded", id: "seti_1" }],
  ["processing", made(PROCESSING), PROCESSING],
  ["canceled", made({ status: "canceled" }), { status: "canceled" }],
  ["needs a card", made({ ...OPEN, last_setup_error: null }), { status: "open" }],
  ["needs authentication", made({ status: "requires_action", last_setup_error: 5 }), { status: "open" }],
  ["declined", failed("card_error"), { status: "open", message: "Declined." }],
  ["incomplete", failed("validation_error"), { status: "open", message: "Declined." }],
  ["an error with words for developers", failed("invalid_request_error"), { status: "open" }],
  [
    "failed authentication",
    failed("invalid_request_error", "setup_intent_authentication_failure"),
    { status: "open", message: "Declined." },
  ],
  ["404", answers(404), { status: "invalid" }],
  ["401", answers(401), UNREACHABLE, "stripe_key_refused"],
  ["403", answers(403), UNREACHABLE, "stripe_key_refused"],
  ["429", answers(429), UNREACHABLE],
  ["500", answers(500), UNREACHABLE],
  ["a redirect", answers(302), UNREACHABLE],
  ["a response that is not JSON", () => new Response("<html>"), UNREACHABLE],
  ["another object", () => Response.json({ status: "succeeded" }), UNREACHABLE],
  ["more than 64 KiB", made({ ...PROCESSING, more: "x".repeat(64 * 1024) }), UNREACHABLE],
  ["no answer", undefined, UNREACHABLE],
])("Stripe's answer is read: %s", async (_, answer, state, ...log) => {
  const asked = await ask(answer ? [answer] : []);
  expect([asked.state, asked.logged]).toEqual([state, log]);
});

const secretOf = (id: number, own: number) => `seti_${"a".repeat(id)}_secret_${"b".repeat(own)}`;

test.each([
  ...[secretOf(1, 1), secretOf(255, 1000)].map((secret) => [secret, 1] as const),
  ...[secretOf(0, 1), secretOf(1, 0), secretOf(256, 1), secretOf(1, 1001)].map((secret) => [secret, 0] as const),
  ...["", "seti_1", "pi_1_secret_1", `${SECRET}/`, `x${SECRET}`, `${SECRET}\n`].map((secret) => [secret, 0] as const),
])("what is no client secret is neither asked about nor counted: %.30s", async (secret, asked) => {
  const { state, calls, keys } = await ask([made(PROCESSING)], { secret });
  expect([state.status, calls.length, keys.length]).toEqual([asked ? "processing" : "invalid", asked, asked]);
});

test("the body of an unused response is canceled, which frees its connection", async () => {
  const canceled: number[] = [];
  const unread = (status: number) => () =>
    new Response(new ReadableStream({ cancel: () => void canceled.push(status) }, { highWaterMark: 0 }), { status });
  await ask([unread(400), made(PROCESSING)]);
  for (const status of [302, 404, 500]) await ask([unread(status)]);
  expect(canceled).toEqual([400, 302, 404, 500]);
});

test("a sender over the limit waits, and the log says so", async () => {
  const { state, calls, logged } = await ask([made({ status: "succeeded" })], { allowed: false });
  expect([state, calls, logged]).toEqual([UNREACHABLE, [], ["card_check_limited"]]);
});
