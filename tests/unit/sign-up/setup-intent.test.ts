import { afterEach, describe, expect, test, vi } from "vitest";
import type { SetupIntentAnswer } from "../../../app/signup/session-state";
import { countingLimiter, siteContext } from "../../support/site-in-process/site-context";

/* Calls to Stripe about a card's setup, and the meaning of its answers. For the sign-up's next state, see next-state.test.ts. */

afterEach(() => vi.restoreAllMocks());

const SECRET = "seti_1_secret_2";
type Answer = (url: string) => Response;

/** The site's reading of an answer from Stripe, or of no answer. */
async function ask(answer: Answer | undefined, { secret = SECRET, limit = 1 } = {}) {
  const limiter = countingLimiter(limit);
  const { context, logged, setupIntents } = siteContext({ CARD_CHECK_RATE_LIMIT: limiter });
  const answers = async (url: unknown) => answer?.(String(url)) ?? Promise.reject(new TypeError("fetch failed"));
  const fetching = vi.spyOn(globalThis, "fetch").mockClear().mockImplementation(answers);
  const setupIntent = await setupIntents.retrieve(secret, { ip: "2001:db8::1", log: context.log });
  const calls = fetching.mock.calls.map(([url, init]) => ({ url: decodeURIComponent(String(url)), init }));
  const lines = logged.map(([event, fields]) => ({ event, ...Object(fields) }));
  return { setupIntent, calls, lines, logged: logged.map(([event]) => event), keys: limiter.keys };
}

const says = (fields: object) => () => Response.json({ id: "seti_1", ...fields });

test("Stripe is asked with the client secret and the publishable key, and no redirect is followed", async () => {
  const { calls } = await ask(says({ status: "processing" }));
  const url = `https://api.stripe.com/v1/setup_intents/seti_1?client_secret=${SECRET}&expand[0]=payment_method`;
  expect(calls).toMatchObject([{ url, init: { headers: { Authorization: "Bearer pk_test_1" }, redirect: "manual" } }]);
});

test("Stripe has five seconds", async () => {
  const timeout = vi.spyOn(AbortSignal, "timeout");
  await ask(says({ status: "processing" }));
  expect(timeout.mock.calls).toEqual([[5_000]]);
});

test("a sender is counted by its network", async () => {
  expect((await ask(says({ status: "processing" }))).keys).toEqual(["2001:db8:0:0::/64"]);
});

const OPEN = { status: "requires_payment_method" };
const failed = (error: unknown) => says({ ...OPEN, last_setup_error: error });
const setUp = (payment_method: unknown) => says({ status: "succeeded", payment_method });
const CARD = { brand: "visa", last4: "4242" };

test.each<{ name: string; answer: Answer; means: SetupIntentAnswer }>([
  { name: "a card is set up", answer: setUp({ card: CARD }), means: { status: "succeeded", card: CARD } },
  { name: "a payment method as its ID", answer: setUp("pm_1"), means: { status: "succeeded" } },
  { name: "a payment method that is no card", answer: setUp({}), means: { status: "succeeded" } },
  {
    name: "a brand of any length is not shown",
    answer: setUp({ card: { ...CARD, brand: "v".repeat(33) } }),
    means: { status: "succeeded" },
  },
  {
    name: "last digits that are none are not shown",
    answer: setUp({ card: { ...CARD, last4: "42424242" } }),
    means: { status: "succeeded" },
  },
  { name: "processing", answer: says({ status: "processing" }), means: { status: "processing" } },
  { name: "canceled", answer: says({ status: "canceled" }), means: { status: "canceled" } },
  { name: "no card yet", answer: says(OPEN), means: { status: "open" } },
  { name: "asks for authentication", answer: says({ status: "requires_action" }), means: { status: "open" } },
  { name: "an error that is none", answer: failed(5), means: { status: "open" } },
  { name: "an error without a message", answer: failed({ type: "card_error" }), means: { status: "open" } },
  {
    name: "an error with a message",
    answer: failed({ type: "card_error", message: "Stripe's words." }),
    means: { status: "open", message: "Stripe's words." },
  },
])("Stripe's answer is read: $name", async ({ answer, means }) => {
  expect((await ask(answer)).setupIntent).toEqual(means);
});

test("a message of 300 characters is kept whole", async () => {
  const message = "\u{1F4B3}".repeat(300);
  expect((await ask(failed({ message }))).setupIntent).toEqual({ status: "open", message });
});

test("a longer message is cut to 300 characters, none of them halved", async () => {
  const { setupIntent } = await ask(failed({ message: "\u{1F4B3}".repeat(301) }));
  expect(setupIntent).toEqual({ status: "open", message: `${"\u{1F4B3}".repeat(299)}…` });
});

describe("an answer that is not a setup intent", () => {
  /** Bodies that were neither read nor canceled, so that their connections stay open. */
  const open: number[] = [];
  const refuses = (status: number) => () => {
    open.push(status);
    return new Response(new ReadableStream({ cancel: () => void open.pop() }, { highWaterMark: 0 }), { status });
  };

  test.each([400, 404])("that says the secret is unknown is not asked for again: %i", async (status) => {
    const { setupIntent, logged } = await ask(refuses(status));
    expect(setupIntent).toEqual({ status: "unknown" });
    expect(logged).toEqual([]);
    expect(open, "open connections").toEqual([]);
  });

  const failed = (logs: object) => ({ event: "card_check_failed", ...logs });
  const refused = (status: number) => ({ event: "stripe_key_refused", status });

  test.each<{ name: string; answer?: Answer; logs: object }>([
    { name: "401", answer: refuses(401), logs: refused(401) },
    { name: "403", answer: refuses(403), logs: refused(403) },
    { name: "409, another request is at work", answer: refuses(409), logs: failed({ cause: "status", status: 409 }) },
    { name: "429", answer: refuses(429), logs: failed({ cause: "status", status: 429 }) },
    { name: "500", answer: refuses(500), logs: failed({ cause: "status", status: 500 }) },
    { name: "a redirect", answer: refuses(302), logs: failed({ cause: "status", status: 302 }) },
    { name: "HTML", answer: () => new Response("<html>"), logs: failed({ cause: "answer" }) },
    { name: "another object", answer: () => Response.json({ object: "error" }), logs: failed({ cause: "answer" }) },
    {
      name: "more than 64 KiB",
      answer: says({ status: "processing", more: "x".repeat(64 * 1024) }),
      logs: failed({ cause: "answer" }),
    },
    { name: "none", logs: failed({ cause: "connection" }) },
  ])("leaves the card open, is closed, and its cause is logged: $name", async ({ answer, logs }) => {
    const { setupIntent, lines } = await ask(answer);
    expect(setupIntent).toEqual({ status: "unreachable" });
    expect(lines).toEqual([logs]);
    expect(open, "open connections").toEqual([]);
  });

  test("because the card may not be read is asked for again without it", async () => {
    const answer = (url: string) => (url.includes("expand") ? refuses(400)() : setUp("pm_1")());
    const { setupIntent, calls } = await ask(answer);
    expect(setupIntent).toEqual({ status: "succeeded" });
    expect(calls[1]?.url).toBe(`https://api.stripe.com/v1/setup_intents/seti_1?client_secret=${SECRET}`);
    expect(open, "open connections").toEqual([]);
  });
});

const secretOf = (idLength: number, ownLength: number) =>
  `seti_${"a".repeat(idLength)}_secret_${"b".repeat(ownLength)}`;

test("the longest client secret is asked about", async () => {
  expect((await ask(says({ status: "processing" }), { secret: secretOf(255, 1000) })).calls).toHaveLength(1);
});

test.each([
  "",
  "seti_1",
  "pi_1_secret_1",
  `${SECRET}/`,
  `x${SECRET}`,
  `${SECRET}\n`,
  secretOf(0, 1),
  secretOf(1, 0),
  secretOf(256, 1),
  secretOf(1, 1001),
])("a value that is not a client secret is unknown, and is neither sent to Stripe nor counted: %j", async (secret) => {
  const { setupIntent, calls, keys } = await ask(says({ status: "processing" }), { secret });
  expect(setupIntent).toEqual({ status: "unknown" });
  expect([...calls, ...keys]).toEqual([]);
});

test("a sender over the limit waits unasked, and the log says so", async () => {
  const { setupIntent, calls, logged } = await ask(says({ status: "succeeded" }), { limit: 0 });
  expect(setupIntent).toEqual({ status: "unreachable" });
  expect(calls).toEqual([]);
  expect(logged).toEqual(["card_check_limited"]);
});
