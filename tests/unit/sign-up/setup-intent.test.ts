import { afterEach, expect, test, vi } from "vitest";
import type { SetupState } from "../../../app/signup/server/setup-intent.server";
import { countingLimiter, siteContext } from "../../support/site-in-process/site-context";

/* What Stripe is asked about a card's setup, and what its answers mean; the step after each state is in steps.test.ts. */

afterEach(() => vi.restoreAllMocks());

const SECRET = "seti_1_secret_2";
type Answer = (url: string) => Response;

/** The state of a setup that Stripe answers about, or does not. */
async function ask(answer: Answer | undefined, { secret = SECRET, limit = 1 } = {}) {
  const limiter = countingLimiter(limit);
  const { context, logged, setupIntents } = siteContext({ CARD_CHECK_RATE_LIMIT: limiter });
  const answers = async (url: unknown) => answer?.(String(url)) ?? Promise.reject(new TypeError("fetch failed"));
  const fetching = vi.spyOn(globalThis, "fetch").mockClear().mockImplementation(answers);
  const state = await setupIntents.retrieve(secret, { ip: "2001:db8::1", log: context.log });
  const calls = fetching.mock.calls.map(([url, init]) => ({ url: decodeURIComponent(String(url)), init }));
  return { state, calls, logged: logged.map(([event]) => event), keys: limiter.keys };
}

const made = (fields: object) => () => Response.json({ id: "seti_1", ...fields });
const [OPEN, PROCESSING] = [{ status: "requires_payment_method" }, { status: "processing" }] as const;

test("Stripe is asked with the client secret and the publishable key, within five seconds, and no redirect is followed", async () => {
  const timeout = vi.spyOn(AbortSignal, "timeout");
  const { calls, keys } = await ask(made(PROCESSING));
  const url = `https://api.stripe.com/v1/setup_intents/seti_1?client_secret=${SECRET}&expand[0]=payment_method`;
  expect(calls).toMatchObject([{ url, init: { headers: { Authorization: "Bearer pk_test_1" }, redirect: "manual" } }]);
  expect([timeout.mock.calls, keys]).toEqual([[[5_000]], ["2001:db8:0:0::/64"]]);
});

/** Bodies that are not canceled, so that their connections stay open. */
const unread: number[] = [];
const refused = (status: number) => () => {
  unread.push(status);
  return new Response(new ReadableStream({ cancel: () => void unread.pop() }, { highWaterMark: 0 }), { status });
};

const succeeded = (payment_method: unknown) => made({ status: "succeeded", payment_method });
const failed = (type: string, code?: string) =>
  made({ ...OPEN, last_setup_error: { type, code, message: "Declined." } });
const [UNREACHABLE, INVALID] = [{ status: "unreachable" }, { status: "invalid" }] as const;
const SUCCEEDED = { status: "succeeded", id: "seti_1" } as const;
const DECLINED = { status: "open", message: "Declined." } as const;

test.each<[string, Answer | undefined, SetupState, log?: string]>([
  ["the card may not be read", (url) => (/expand/.test(url) ? refused(400)() : succeeded("pm_1")()), SUCCEEDED],
  ["a payment method as its id", succeeded("pm_1"), SUCCEEDED],
  ["another payment method", succeeded({}), SUCCEEDED],
  ["needs authentication", made({ status: "requires_action", last_setup_error: 5 }), { status: "open" }],
  ["incomplete", failed("validation_error"), DECLINED],
  ["an error with words for developers", failed("invalid_request_error"), { status: "open" }],
  ["failed authentication", failed("invalid_request_error", "setup_intent_authentication_failure"), DECLINED],
  ["400", refused(400), INVALID],
  ["401", refused(401), UNREACHABLE, "stripe_key_refused"],
  ["403", refused(403), UNREACHABLE, "stripe_key_refused"],
  ["404", refused(404), INVALID],
  ["429", refused(429), UNREACHABLE],
  ["500", refused(500), UNREACHABLE],
  ["a redirect", refused(302), UNREACHABLE],
  ["a response that is not JSON", () => new Response("<html>"), UNREACHABLE],
  ["another object", () => Response.json({ status: "succeeded" }), UNREACHABLE],
  ["more than 64 KiB", made({ ...PROCESSING, more: "x".repeat(64 * 1024) }), UNREACHABLE],
  ["no answer", undefined, UNREACHABLE],
])("Stripe's answer is read, or its body canceled: %s", async (_, answer, state, ...log) => {
  const asked = await ask(answer);
  expect([asked.state, asked.logged, unread]).toEqual([state, log, []]);
});

const secretOf = (id: number, own: number) => `seti_${"a".repeat(id)}_secret_${"b".repeat(own)}`;
const TOO_LONG_OR_SHORT = [secretOf(0, 1), secretOf(1, 0), secretOf(256, 1), secretOf(1, 1001)];
const MALFORMED = ["", "seti_1", "pi_1_secret_1", `${SECRET}/`, `x${SECRET}`, `${SECRET}\n`];

test("what is no client secret is neither asked about nor counted", async () => {
  expect(await ask(made(PROCESSING), { secret: secretOf(255, 1000) })).toMatchObject({ state: PROCESSING });
  for (const secret of [...TOO_LONG_OR_SHORT, ...MALFORMED])
    expect(await ask(made(PROCESSING), { secret })).toMatchObject({ state: INVALID, calls: [], keys: [] });
});

test("a sender over the limit waits, and the log says so", async () => {
  const { state, calls, logged } = await ask(made({ status: "succeeded" }), { limit: 0 });
  expect([state, calls, logged]).toEqual([UNREACHABLE, [], ["card_check_limited"]]);
});
