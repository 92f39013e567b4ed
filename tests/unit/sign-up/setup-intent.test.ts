import { readFile } from "node:fs/promises";
import { join } from "node:path";
import Stripe from "stripe";
import { expect, test, vi } from "vitest";
import type { SetupIntentAnswer } from "../../../app/signup/session-state";
import { STRIPE_JS_URL } from "../../../app/signup/stripe-js";
import { root } from "../../../tools/wrangler/wrangler";
import { countingLimiter, siteContext } from "../../support/site-in-process/site-context";

/* What the site asks Stripe about a card's setup, and how it reads the answer; the release of Stripe.js. */

const SECRET = "seti_1_secret_2";
const SETUP_URL = `https://api.stripe.com/v1/setup_intents/seti_1?client_secret=${SECRET}`;
const WITH_CARD = `${SETUP_URL}&expand[0]=payment_method`;

type Answer = (url: string) => Response;

/** @param answer none if the connection fails */
async function ask(answer: Answer | undefined, { secret = SECRET, limit = 1 } = {}) {
  const limiter = countingLimiter(limit);
  const { context, logged, setupIntents } = siteContext({ CARD_CHECK_RATE_LIMIT: limiter });
  const answers = async (url: unknown) => answer?.(String(url)) ?? Promise.reject(new TypeError("fetch failed"));
  const fetching = vi.spyOn(globalThis, "fetch").mockClear().mockImplementation(answers);
  const setupIntent = await setupIntents.retrieve(secret, { ip: "2001:db8::1", log: context.log });
  const calls = fetching.mock.calls.map(([url, init]) => ({ url: decodeURIComponent(String(url)), init }));
  return { setupIntent, calls, logged, keys: limiter.keys };
}

const says = (fields: object) => () => Response.json({ id: "seti_1", ...fields });

test("Stripe is asked with the client secret and the publishable key, for five seconds, without redirects", async () => {
  const timeout = vi.spyOn(AbortSignal, "timeout");
  const { calls, keys } = await ask(says({ status: "processing" }));
  const init = { headers: { Authorization: "Bearer pk_test_1" }, redirect: "manual" };
  expect(calls).toMatchObject([{ url: WITH_CARD, init }]);
  expect(timeout.mock.calls).toEqual([[5_000]]);
  expect(keys, "a sender is counted by its network").toEqual(["2001:db8:0:0::/64"]);
});

const CARD = { brand: "visa", last4: "4242" };
const setUp = (payment_method: unknown) => says({ status: "succeeded", payment_method });
const withCard = (other: object) => setUp({ card: { ...CARD, ...other } });
const failedWith = (error: object) => says({ status: "requires_payment_method", last_setup_error: error });
const TWO_UNITS = "\u{1F4B3}";
const LONGEST = { message: TWO_UNITS.repeat(300) };
const SET_UP: SetupIntentAnswer = { status: "succeeded" };

test.each<{ answer: string; given: Answer; means: SetupIntentAnswer }>([
  { answer: "a card is set up", given: setUp({ card: CARD }), means: { status: "succeeded", card: CARD } },
  { answer: "a payment method is only an ID", given: setUp("pm_1"), means: SET_UP },
  { answer: "a brand over 32 characters is not shown", given: withCard({ brand: "v".repeat(33) }), means: SET_UP },
  { answer: "over four last digits are not shown", given: withCard({ last4: "42424" }), means: SET_UP },
  { answer: "a card is processed", given: says({ status: "processing" }), means: { status: "processing" } },
  { answer: "it was canceled", given: says({ status: "canceled" }), means: { status: "canceled" } },
  { answer: "it has no card yet", given: says({ status: "requires_action" }), means: { status: "open" } },
  { answer: "an error has no message", given: failedWith({ type: "card_error" }), means: { status: "open" } },
  { answer: "a message of 300 characters is whole", given: failedWith(LONGEST), means: { status: "open", ...LONGEST } },
  {
    answer: "a longer message is cut, and no character halved",
    given: failedWith({ message: TWO_UNITS.repeat(301) }),
    means: { status: "open", message: `${TWO_UNITS.repeat(299)}…` },
  },
])("Stripe's answer is read: $answer", async ({ given, means }) => {
  expect((await ask(given)).setupIntent).toEqual(means);
});

/** Statuses of answers whose bodies were neither read nor canceled, so that their connections stay open. */
const open: number[] = [];

const refuses = (status: number) => () => {
  open.push(status);
  return new Response(new ReadableStream({ cancel: () => void open.pop() }, { highWaterMark: 0 }), { status });
};

interface Failure {
  failure: string;
  answer?: Answer;
  means: SetupIntentAnswer["status"];
  /** How many questions the sender may ask. */
  limit?: number;
  /** One question by default. */
  asked?: string[];
  logs?: [event: string, fields: object | undefined];
}

const refused = (status: number): [string, object] => ["stripe_key_refused", { status }];
const failed = (fields: object): [string, object] => ["card_check_failed", fields];

test.each<Failure>([
  { failure: "404", answer: refuses(404), means: "unknown" },
  { failure: "400, also without the card", answer: refuses(400), means: "unknown", asked: [WITH_CARD, SETUP_URL] },
  {
    failure: "400, because the card may not be read",
    answer: (url) => (url.includes("expand") ? refuses(400)() : setUp("pm_1")()),
    means: "succeeded",
    asked: [WITH_CARD, SETUP_URL],
  },
  { failure: "401", answer: refuses(401), means: "unreachable", logs: refused(401) },
  { failure: "403", answer: refuses(403), means: "unreachable", logs: refused(403) },
  { failure: "500", answer: refuses(500), means: "unreachable", logs: failed({ cause: "status", status: 500 }) },
  { failure: "HTML", answer: () => new Response("<html>"), means: "unreachable", logs: failed({ cause: "answer" }) },
  {
    failure: "more than 64 KiB",
    answer: says({ status: "processing", more: "x".repeat(64 * 1024) }),
    means: "unreachable",
    logs: failed({ cause: "answer" }),
  },
  { failure: "no answer", means: "unreachable", logs: failed({ cause: "connection" }) },
  {
    failure: "a sender over the limit, unasked",
    ...{ answer: says({ status: "succeeded" }), limit: 0, asked: [] },
    ...{ means: "unreachable", logs: ["card_check_limited", undefined] },
  },
])("Stripe's failure is understood as $means, logged, and its connection closed: $failure", async (row) => {
  const { setupIntent, calls, logged } = await ask(row.answer, row);
  expect(setupIntent.status).toBe(row.means);
  expect(calls.map(({ url }) => url)).toEqual(row.asked ?? [WITH_CARD]);
  expect(logged).toEqual(row.logs ? [row.logs] : []);
  expect(open, "open connections").toEqual([]);
});

const secretOf = (idLength: number, ownLength: number) =>
  `seti_${"a".repeat(idLength)}_secret_${"b".repeat(ownLength)}`;

test("only a client secret is sent to Stripe, and counted; any other value is unknown", async () => {
  expect((await ask(says({ status: "processing" }), { secret: secretOf(255, 1000) })).calls).toHaveLength(1);
  const others = [secretOf(0, 1), secretOf(256, 1), secretOf(1, 0), secretOf(1, 1001)];
  for (const secret of ["pi_1_secret_1", `x${SECRET}`, `${SECRET}/`, ...others]) {
    const { setupIntent, calls, keys } = await ask(says({ status: "processing" }), { secret });
    expect({ setupIntent, calls, keys }, secret).toEqual({ setupIntent: { status: "unknown" }, calls: [], keys: [] });
  }
});

test("Stripe.js has the release of the API version that the server uses, and of the package that loads it", async () => {
  const release = Stripe.API_VERSION.split(".")[1];
  expect(STRIPE_JS_URL).toBe(`https://js.stripe.com/${release}/stripe.js`);
  const installed = await readFile(join(root, "node_modules/@stripe/stripe-js/dist/pure.mjs"), "utf8");
  expect(installed.split("\n").find((each) => each.includes("RELEASE_TRAIN ="))).toContain(`'${release}'`);
});
