import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { REQUEST_IN_PROGRESS } from "../../../app/contract/problem-types";
import { type SubscriptionApiOptions, subscriptionApi } from "../../../app/signup/server/api-client.server";
import { validRequest } from "../../support/person";
import { bodyOf } from "../../support/site-in-process/body-of";
import { OTHER_TERMS } from "./sessions";

/* Calls to the subscription API: what is sent and when, the outcome of each answer, and what is logged. */

beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
  // The stopped clock does not move the platform's own.
  vi.spyOn(AbortSignal, "timeout").mockImplementation((milliseconds) => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(new DOMException("Timed out", "TimeoutError")), milliseconds);
    return controller.signal;
  });
});
afterEach(() => void vi.useRealTimers());

const STATUS_URL = "https://api.example/v1/status/a";
const CREATED = { client_secret: "seti_1_secret_1" };
type Answer = (init: RequestInit) => Promise<Response>;

/** An API behind the binding. It gives these answers in turn, repeats the last, and records each request with its time. */
function apiThat(answers: Answer[], options: Partial<SubscriptionApiOptions> = {}) {
  vi.setSystemTime(0);
  const calls: { url: string; init: RequestInit; headers: object; at: number }[] = [];
  const answer = async (url: string, init: RequestInit = {}) => {
    calls.push({ url, init, headers: Object.fromEntries(new Headers(init.headers)), at: Date.now() });
    return answers[Math.min(calls.length, answers.length) - 1]?.(init) ?? Response.error();
  };
  const network = vi.spyOn(globalThis, "fetch").mockImplementation((url, init) => answer(String(url), init));
  const base = { baseUrl: "https://api.example/v1", timeoutMs: 5_000, idempotent: false };
  const api = subscriptionApi({ ...base, binding: { fetch: answer }, ...options });
  const logged: object[] = [];
  const warn = (event: string, fields = {}) => void logged.push({ event, ...fields });
  const by = { requestId: "a-request", log: { warn, add() {}, end() {}, info() {}, error() {}, failure() {} } };
  async function settle<Outcome>(work: Promise<Outcome>) {
    const settled = work.then((outcome) => ({ outcome, endedAt: Date.now() }));
    await vi.runAllTimersAsync();
    return { ...(await settled), calls, logged, network: network.mock.calls.length };
  }
  const about = { idempotencyKey: "a-key", requestId: "a-request", rateLimitKey: "192.0.2.1", shown: OTHER_TERMS };
  return {
    create: () => settle(api.create(validRequest, about)),
    status: () => settle(api.status(STATUS_URL, { ...by, signal: AbortSignal.timeout(5_000) })),
    askForPackage: () => settle(api.package("an id", by)),
  };
}

const says = (body: unknown, status = 200, headers: HeadersInit = {}) => {
  return async () => Response.json(body, { status, headers });
};
const saysText = (text: string, status = 200) => {
  return async () => new Response(text, { status });
};
const failsAfter = (milliseconds: number) => () =>
  new Promise<Response>((_, reject) => setTimeout(() => reject(new TypeError("fetch failed")), milliseconds));
const fails = failsAfter(0);
const breaks: Answer = async () => bodyOf(["{"], "breaks off").response;
/** Ends with the signal of its request, as `fetch` does. */
const hangs: Answer = ({ signal }) =>
  new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
/** JSON that ends so many bytes after the 64 KiB that are read. */
const long = (json: object, more: number) => saysText(JSON.stringify(json).padStart(64 * 1024 + more));
const BOT_CHECK = { "cf-mitigated": "challenge" };

const SENDER = { "subscription-sender": "192.0.2.1" };

test.each([
  { over: "its binding, with the sender's key", options: {}, sender: SENDER, network: 0 },
  { over: "the network, without it", options: { binding: undefined }, sender: {}, network: 1 },
])("a sign-up is posted to the API over $over, and no redirect is followed", async ({ options, sender, network }) => {
  const posted = await apiThat([says(CREATED)], options).create();
  expect(posted.calls).toMatchObject([
    { url: "https://api.example/v1/subscription", init: { method: "POST", redirect: "manual" } },
  ]);
  expect(JSON.parse(String(posted.calls[0]?.init.body))).toEqual(validRequest);
  expect(posted.calls[0]?.headers).toEqual({
    accept: "application/json",
    "content-type": "application/json",
    "idempotency-key": "a-key",
    "x-request-id": "a-request",
    "subscription-terms": JSON.stringify(OTHER_TERMS),
    ...sender,
  });
  expect(posted.network, "calls over the network").toBe(network);
});

const created = { kind: "created", clientSecret: "seti_1_secret_1", terms: {} };
const [unintelligible, misconfigured] = [{ kind: "unintelligible" }, { kind: "misconfigured" }];
const unreachable = { kind: "unreachable", cause: "connection" };
const rejected = (status: number, more: object = {}) => ({ kind: "rejected", status, ...more });
const at = (status_url: string) => says({ ...CREATED, status_url });
const endsAt = (expires_at: string) => says({ ...CREATED, expires_at });
const ofPlan = { errors: { package_id: ["No"] } };

test.each<{ name: string; answer: Answer; outcome: object }>([
  { name: "a status URL of its own", answer: at(STATUS_URL), outcome: { ...created, statusUrl: STATUS_URL } },
  { name: "a status URL on another port", answer: at("https://api.example:8443/v1/status/a"), outcome: created },
  { name: "a status URL without TLS", answer: at("http://api.example/v1/status/a"), outcome: created },
  { name: "a relative status URL", answer: at("status/a"), outcome: created },
  { name: "an end", answer: endsAt("1970-01-01T00:00:00.001Z"), outcome: { ...created, expiresAt: 1 } },
  { name: "an end that is not in the future", answer: endsAt("1970-01-01T00:00:00Z"), outcome: created },
  { name: "an end that is no time", answer: endsAt("tomorrow"), outcome: created },
  { name: "64 KiB", answer: long(CREATED, 0), outcome: created },
  { name: "one byte more", answer: long(CREATED, 1), outcome: unintelligible },
  { name: "no body", answer: async () => new Response(null, { status: 204 }), outcome: misconfigured },
  { name: "HTML", answer: saysText("<html>"), outcome: misconfigured },
  { name: "a client_secret of blanks", answer: says({ client_secret: " \t\u00a0" }), outcome: misconfigured },
  { name: "a client_secret over 300", answer: says({ client_secret: "x".repeat(301) }), outcome: misconfigured },
  { name: "409 in progress", answer: says({ type: REQUEST_IN_PROGRESS }, 409), outcome: rejected(503) },
  {
    name: "409 about the email address",
    answer: says({ errors: { email: ["Taken"], package_id: [] } }, 409),
    outcome: rejected(409, { refusesEmail: true }),
  },
  { name: "400 about the plan", answer: says(ofPlan, 400), outcome: rejected(400, { refusesPlan: "unknown" }) },
  { name: "422 with a list of errors", answer: says({ errors: ["package_id"] }, 422), outcome: rejected(422) },
  { name: "422 with over 4 KiB", answer: says({ ...ofPlan, x: "x".repeat(4096) }, 422), outcome: rejected(422) },
  { name: "a bot check", answer: says({}, 403, BOT_CHECK), outcome: { kind: "bot check" } },
  { name: "no connection", answer: fails, outcome: unreachable },
  { name: "a body that breaks off", answer: breaks, outcome: unreachable },
])("a sign-up is judged by the API's answer: $name", async ({ answer, outcome }) => {
  expect((await apiThat([answer]).create()).outcome).toEqual(outcome);
});

const DATE = "Thu, 01 Jan 1970 00:00:05 GMT";
const busy = (retryAfter: string) => says({}, 503, { "Retry-After": retryAfter });

test.each<{ name: string; answers: Answer[]; timeoutMs?: number; calledAt: number[]; endsAt?: number }>([
  { name: "with time for two attempts", answers: [fails], timeoutMs: 400, calledAt: [0, 100] },
  { name: "with time for three", answers: [fails], timeoutMs: 401, calledAt: [0, 100, 400] },
  { name: "until one attempt works", answers: [fails, says(CREATED)], calledAt: [0, 100] },
  { name: "after its Retry-After", answers: [busy("2")], calledAt: [0, 2_000, 4_000] },
  { name: "but not if its Retry-After is too late", answers: [busy("60")], calledAt: [0] },
  { name: "soon if its Retry-After is a date", answers: [busy(DATE)], calledAt: [0, 100, 400] },
  { name: "but not if a bot check answers", answers: [says({}, 503, BOT_CHECK)], calledAt: [0] },
  { name: "but not after the deadline", answers: [hangs], timeoutMs: 120, calledAt: [0], endsAt: 120 },
  { name: "within one deadline", answers: [failsAfter(400), hangs], timeoutMs: 600, calledAt: [0, 500], endsAt: 600 },
])("an API that honors the key is called again $name", async (row) => {
  const { answers, timeoutMs = 5_000, calledAt, endsAt } = row;
  const { calls, endedAt, outcome } = await apiThat(answers, { idempotent: true, timeoutMs }).create();
  expect(calls.map((call) => call.at)).toEqual(calledAt);
  expect(endedAt).toBe(endsAt ?? calledAt.at(-1));
  if (endsAt !== undefined) expect(outcome).toEqual({ kind: "unreachable", cause: "deadline" });
});

test("only a gateway's errors and 503 pass: an API that honors the key is called once after any other status", async () => {
  const repeated: number[] = [];
  for (const status of [302, 400, 408, 409, 429, 500, 501, 502, 503, 504, 505]) {
    const { calls, outcome } = await apiThat([says({}, status)], { idempotent: true }).create();
    expect(outcome).toEqual(rejected(status));
    if (calls.length > 1) repeated.push(status);
  }
  expect(repeated).toEqual([502, 503, 504]);
});

test.each(["create", "status"] as const)("the body of a refusal is not awaited: %s", async (ask) => {
  const { response, canceled } = bodyOf([], "stalls");
  await apiThat([async () => new Response(response.body, { status: 500 })])[ask]();
  expect(canceled()).toBe(true);
});

const TRIAL = { status: "trial", trial_end: "2026-11-27T12:00:00.000Z" };
const tooLong = { ...TRIAL, trial_end: `2026-11-27T12:00:00.${"0".repeat(5_000)}Z` };

test.each<{ name: string; answer: Answer; status?: object; logs?: object; endsAt?: number }>([
  { name: "a trial", answer: says(TRIAL), status: TRIAL },
  { name: "a trial whose end is too long for a cookie", answer: says(tooLong), status: { status: "trial" } },
  { name: "404", answer: says(TRIAL, 404), status: { status: "unknown" } },
  { name: "a used card without a secret", answer: says({ status: "card_used" }), logs: { cause: "answer" } },
  { name: "HTML", answer: saysText("<html>"), logs: { cause: "answer" } },
  { name: "more than 64 KiB", answer: long(TRIAL, 1), logs: { cause: "answer" } },
  { name: "another status", answer: says(TRIAL, 405), logs: { cause: "status", status: 405 } },
  { name: "a bot check", answer: says({}, 404, BOT_CHECK), logs: { cause: "bot check", status: 404 } },
  { name: "no connection", answer: fails, logs: { cause: "connection" } },
  { name: "a body that breaks off", answer: breaks, logs: { cause: "connection" } },
  { name: "nothing for five seconds", answer: hangs, logs: { cause: "deadline" }, endsAt: 5_000 },
])("a sign-up's status is read from the API's answer, or left open and its cause logged: $name", async (row) => {
  const { answer, status = { status: "unreachable" }, logs, endsAt = 0 } = row;
  const asked = await apiThat([answer]).status();
  const headers = { accept: "application/json", "x-request-id": "a-request" };
  expect(asked.calls).toEqual([
    expect.objectContaining({ url: STATUS_URL, headers, init: expect.objectContaining({ redirect: "manual" }) }),
  ]);
  expect(asked).toMatchObject({ endedAt: endsAt, outcome: status });
  expect(asked.logged).toEqual(logs === undefined ? [] : [{ event: "status_check_failed", ...logs }]);
});

const PRICED = { status: "available", price_cents: 77_700, currency: "usd" };

test.each<{ name: string; answer: Answer; outcome?: object; cause?: string; timeoutMs?: number; endsAt?: number }>([
  { name: "its price", answer: says(PRICED), outcome: PRICED },
  { name: "404, as from an API without this route", answer: says({ title: "Not found" }, 404) },
  { name: "another currency", answer: says({ ...PRICED, currency: "eur" }), cause: "answer" },
  { name: "nothing for two seconds", answer: hangs, cause: "deadline", endsAt: 2_000 },
  { name: "nothing for the API's deadline", answer: hangs, cause: "deadline", timeoutMs: 1_000, endsAt: 1_000 },
])("a plan that is not on the price list is asked for by its ID, and a failure logged: $name", async (row) => {
  const { answer, outcome, cause, timeoutMs = 5_000, endsAt = 0 } = row;
  const asked = await apiThat([answer], { timeoutMs }).askForPackage();
  expect(asked).toMatchObject({ calls: [{ url: "https://api.example/v1/subscription/packages/an%20id" }] });
  expect(asked).toMatchObject({ outcome, endedAt: endsAt });
  expect(asked.logged).toEqual(cause === undefined ? [] : [{ event: "package_check_failed", cause }]);
});
