import { afterEach, describe, expect, test, vi } from "vitest";
import { type SetupState, setupIntents } from "../../../app/signup/server/setup-intent.server";
import { countingLimiter, siteContext } from "../../support/site-in-process/site-context";

afterEach(() => vi.restoreAllMocks());

const SECRET = "seti_1_secret_2";

/** What Stripe is asked about a client secret, and what is taken from its answers, one for each request. */
async function ask(answers: (() => Response)[], { secret = SECRET, allowed = true } = {}) {
  const { context, logged } = siteContext();
  const fetching = vi.spyOn(globalThis, "fetch").mockImplementation(async () => {
    const answer = answers[Math.min(fetching.mock.calls.length, answers.length) - 1];
    if (!answer) throw new TypeError("fetch failed");
    return answer();
  });
  const limiter = countingLimiter(allowed ? 1 : 0);
  const intents = setupIntents({ apiUrl: "https://stripe.example", key: "pk_1", limiter });
  const state = await intents.retrieve(secret, { ip: "2001:db8::1", log: context.log });
  const calls = fetching.mock.calls.map(([url, init]) => ({ url: decodeURIComponent(String(url)), init }));
  return { state, calls, logged: logged.map(([event]) => event), keys: limiter.keys };
}

const made = (fields: object) => () => Response.json({ id: "seti_1", ...fields });

test("Stripe is queried with the client secret and the publishable key, within five seconds, and no redirect is followed", async () => {
  const timeout = vi.spyOn(AbortSignal, "timeout");
  const { calls, keys } = await ask([made({ status: "processing" })]);
  expect(calls).toMatchObject([
    {
      url: `https://stripe.example/v1/setup_intents/seti_1?client_secret=${SECRET}&expand[0]=payment_method`,
      init: { headers: { Authorization: "Bearer pk_1" }, redirect: "manual" },
    },
  ]);
  expect(timeout.mock.calls).toEqual([[5_000]]);
  expect(keys).toEqual(["2001:db8:0:0::/64"]);
});

test("the setup intent's status is enough when Stripe returns no card", async () => {
  const refused = () => new Response("{}", { status: 400 });
  const { state, calls } = await ask([refused, made({ status: "succeeded" })]);
  expect(state).toEqual({ status: "succeeded", id: "seti_1", card: undefined });
  expect(calls.map(({ url }) => url.includes("expand"))).toEqual([true, false]);
  expect((await ask([refused])).state).toEqual({ status: "invalid" });
});

describe("Stripe's setup intent", () => {
  const card = { brand: "visa", last4: "4242" };

  test.each<[string, object, SetupState]>([
    ["a card", { status: "succeeded", payment_method: { card } }, { status: "succeeded", id: "seti_1", card }],
    [
      "a payment method as its id",
      { status: "succeeded", payment_method: "pm_1" },
      { status: "succeeded", id: "seti_1" },
    ],
    ["another payment method", { status: "succeeded", payment_method: {} }, { status: "succeeded", id: "seti_1" }],
    ["processing", { status: "processing" }, { status: "processing" }],
    ["canceled", { status: "canceled" }, { status: "canceled" }],
    ["needs a card", { status: "requires_payment_method", last_setup_error: null }, { status: "open" }],
    [
      "the last decline reason",
      { status: "requires_payment_method", last_setup_error: { type: "card_error", message: "Declined." } },
      { status: "open", message: "Declined." },
    ],
    [
      "an error message meant for developers",
      { status: "requires_payment_method", last_setup_error: { type: "invalid_request_error", message: "Bad." } },
      { status: "open" },
    ],
    [
      "failed authentication",
      {
        status: "requires_payment_method",
        last_setup_error: {
          type: "invalid_request_error",
          code: "setup_intent_authentication_failure",
          message: "Unable to authenticate.",
        },
      },
      { status: "open", message: "Unable to authenticate." },
    ],
    ["needs authentication", { status: "requires_action", last_setup_error: 5 }, { status: "open" }],
  ])("is read: %s", async (_, fields, state) => {
    expect((await ask([made(fields)])).state).toEqual(state);
  });

  test.each<[string, () => Response, string]>([
    ["an invalid client secret", () => new Response("", { status: 404 }), "invalid"],
    ["a failure", () => new Response("", { status: 500 }), "unreachable"],
    ["a redirect", () => new Response(null, { status: 302 }), "unreachable"],
    ["a response that is not JSON", () => new Response("<html>"), "unreachable"],
    ["another object", () => Response.json({ status: "succeeded" }), "unreachable"],
    [
      "more than 64 KB",
      () => Response.json({ id: "seti_1", status: "succeeded", more: "x".repeat(64 * 1024) }),
      "unreachable",
    ],
    [
      "an empty response",
      () => {
        throw new TypeError("fetch failed");
      },
      "unreachable",
    ],
  ])("does not count as success: %s", async (_, answer, status) => {
    expect((await ask([answer])).state).toEqual({ status });
  });
});

test.each([401, 403])("a %i of Stripe is the site's own failure, and logged as an error", async (status) => {
  const { state, logged } = await ask([() => new Response("", { status })]);
  expect(state).toEqual({ status: "unreachable" });
  expect(logged).toEqual(["stripe_key_refused"]);
});

test.each([
  [1, 1, "processing"],
  [255, 1000, "processing"],
  [0, 1, "invalid"],
  [1, 0, "invalid"],
  [256, 1, "invalid"],
  [1, 1001, "invalid"],
])("a client secret with an id of %i characters and a secret part of %i is %s", async (id, own, status) => {
  const secret = `seti_${"a".repeat(id)}_secret_${"b".repeat(own)}`;
  const { state, calls } = await ask([made({ status: "processing" })], { secret });
  expect([state.status, calls.length]).toEqual([status, status === "invalid" ? 0 : 1]);
});

test("the body of an unused response is canceled, which frees its connection", async () => {
  const canceled: number[] = [];
  const unread = (status: number) => () =>
    new Response(new ReadableStream({ cancel: () => void canceled.push(status) }, { highWaterMark: 0 }), { status });
  expect((await ask([unread(400), made({ status: "processing" })])).state).toEqual({ status: "processing" });
  for (const status of [302, 404, 429, 500]) await ask([unread(status)]);
  expect(canceled).toEqual([400, 302, 404, 429, 500]);
});

test("a client over the limit waits, and the log says so", async () => {
  const limited = await ask([made({ status: "succeeded" })], { allowed: false });
  expect([limited.state, limited.calls, limited.logged]).toEqual([
    { status: "unreachable" },
    [],
    ["card_check_limited"],
  ]);
});

test.each(["", "seti_1", "pi_1_secret_1", `${SECRET}/`, `x${SECRET}`, "seti_1_secret_a?b", `${SECRET}\n`])(
  "what is no secret is not asked about: %j",
  async (secret) => {
    const { state, calls, keys } = await ask([made({ status: "succeeded" })], { secret });
    expect([state, calls.length, keys]).toEqual([{ status: "invalid" }, 0, []]);
  },
);
