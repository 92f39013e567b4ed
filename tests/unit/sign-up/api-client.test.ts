import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { REQUEST_IN_PROGRESS } from "../../../app/contract/problem-types";
import { type SubscriptionApiOptions, subscriptionApi } from "../../../app/signup/server/api-client.server";
import { validRequest } from "../../support/person";
import { bodyOf } from "../../support/site-in-process/body-of";

/* What the subscription API is sent and when, and what its answers mean. */

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

/** An API behind the binding that gives these answers in turn, the last one again and again; and what it was sent when. */
function apiThat(answers: Answer[], options: Partial<SubscriptionApiOptions> = {}) {
  vi.setSystemTime(0);
  const calls: { url: string; init: RequestInit; at: number }[] = [];
  const answer = async (url: string, init: RequestInit = {}) => {
    calls.push({ url, init, at: Date.now() });
    return answers[Math.min(calls.length, answers.length) - 1]?.(init) ?? Response.error();
  };
  const network = vi.spyOn(globalThis, "fetch").mockImplementation((url, init) => answer(String(url), init));
  const base = { baseUrl: "https://api.example/v1", timeoutMs: 5_000, idempotent: false };
  const api = subscriptionApi({ ...base, binding: { fetch: answer }, ...options });
  const ids = { idempotencyKey: "a-key", requestId: "a-request", sender: "192.0.2.1" };
  async function settle<Outcome>(work: Promise<Outcome>) {
    const settled = work.then((outcome) => ({ outcome, endedAt: Date.now() }));
    await vi.runAllTimersAsync();
    return { ...(await settled), calls, network: network.mock.calls.length };
  }
  const create = () => settle(api.create(validRequest, ids));
  return { create, status: () => settle(api.status(STATUS_URL, "a-request")) };
}

const says = (body: unknown, status = 200, headers: HeadersInit = {}) => {
  return async () => Response.json(body, { status, headers });
};
const saysText = (text: string, status = 200, type = "text/plain") => {
  return async () => new Response(text, { status, headers: { "Content-Type": type } });
};
const problem = (text: string) => saysText(text, 409, "application/problem+json; charset=utf-8");
const failsAfter = (milliseconds: number) => () =>
  new Promise<Response>((_, reject) => setTimeout(() => reject(new TypeError("fetch failed")), milliseconds));
const fails = failsAfter(0);
const breaks: Answer = async () => bodyOf(["{"], "breaks off").response;
/** Ends with the signal of its request, as `fetch` does. */
const hangs: Answer = ({ signal }) =>
  new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
const IN_PROGRESS = JSON.stringify({ type: REQUEST_IN_PROGRESS, title: "Still in progress" });

test.each<[string, Partial<SubscriptionApiOptions>, object, network: number]>([
  ["over the network", { binding: undefined }, {}, 2],
  ["through the binding, with its sender", {}, { "subscription-sender": "192.0.2.1" }, 0],
])("the API is called as the contract requires, redirects left alone: %s", async (_, options, sender, network) => {
  const ids = { accept: "application/json", "x-request-id": "a-request" };
  const posted = { ...ids, "content-type": "application/json", "idempotency-key": "a-key", ...sender };
  const created = await apiThat([says(CREATED)], options).create();
  const asked = await apiThat([says({ status: "pending" })], options).status();
  const [post, get] = [created, asked].map(({ calls }) =>
    calls.map(({ url, init }) => ({ ...init, url, headers: Object.fromEntries(new Headers(init.headers)) })),
  );
  const redirect = "manual";
  expect(post).toMatchObject([{ url: "https://api.example/v1/subscription", method: "POST", redirect }]);
  expect(get).toMatchObject([{ url: STATUS_URL, redirect }]);
  expect([post?.[0]?.headers, get?.[0]?.headers, get?.[0]?.method]).toEqual([posted, ids, undefined]);
  expect([JSON.parse(String(created.calls[0]?.init.body)), asked.network]).toEqual([validRequest, network]);
});

const created = { kind: "created", clientSecret: "seti_1_secret_1" };
const [unintelligible, misconfigured] = [{ kind: "unintelligible" }, { kind: "misconfigured" }];
const unreachable = { kind: "unreachable", timedOut: false };
const rejected = (status: number, retryAfter?: number) => ({ kind: "rejected", status, retryAfter });
/** JSON of so many bytes more than the 64 KiB that are read. */
const long = (json: object, more: number) => saysText(JSON.stringify(json).padEnd(64 * 1024 + more));
const at = (status_url: string) => says({ ...CREATED, status_url });

test.each<[string, Answer, object]>([
  ["more fields than the contract has", says({ ...CREATED, amount: 0 }), created],
  ["a status URL on the API's own origin", at(STATUS_URL), { ...created, statusUrl: STATUS_URL }],
  ["a status URL on another port", at("https://api.example:8443/v1/status/a"), created],
  ["a status URL without TLS", at("http://api.example/v1/status/a"), created],
  ["a status URL on another host", at("https://api.example.evil.test/v1/status/a"), created],
  ["a relative status URL", at("status/a"), created],
  [
    "an end",
    says({ ...CREATED, expires_at: "2026-11-23T08:00:00.000Z" }),
    { ...created, expiresAt: Date.UTC(2026, 10, 23, 8) },
  ],
  ["an end that is no time", says({ ...CREATED, expires_at: "tomorrow" }), created],
  ["64 KiB", long(CREATED, 0), created],
  ["one byte more", long(CREATED, 1), unintelligible],
  ["HTML", saysText("<html>"), unintelligible],
  ["no client_secret", says({}), misconfigured],
  ["an empty client_secret", says({ client_secret: "" }), misconfigured],
  ["a client_secret of 301 characters", says({ client_secret: "x".repeat(301) }), misconfigured],
  ["a redirect", saysText("", 302), rejected(302)],
  ["409 in progress", problem(IN_PROGRESS), rejected(503)],
  ["409 of another type", problem('{"type":"about:blank"}'), rejected(409)],
  ["409 without a problem document", says(JSON.parse(IN_PROGRESS), 409), rejected(409)],
  ["409 with a long problem document", problem(`${" ".repeat(4096)}${IN_PROGRESS}`), rejected(409)],
  ["409 with an incomplete problem document", problem("{"), rejected(409)],
  ["503 with Retry-After", says(CREATED, 503, { "Retry-After": "2" }), rejected(503, 2)],
  ["no connection", fails, unreachable],
  ["a broken body", breaks, unreachable],
])("a sign-up is judged by the API's response: %s", async (_, answer, outcome) => {
  expect((await apiThat([answer]).create()).outcome).toEqual(outcome);
});

const busy = (retryAfter: string) => says({}, 503, { "Retry-After": retryAfter });
const TRANSIENT = [502, 503, 504];

test.each<[string, Answer[], timeoutMs: number, calledAt: number[], endedAt?: number]>([
  ["no connection", [fails], 5_000, [0, 100, 400]],
  ["no connection, with time for two attempts", [fails], 400, [0, 100]],
  ["no connection, with time for three", [fails], 401, [0, 100, 400]],
  ["the second attempt hangs", [failsAfter(400), hangs], 600, [0, 500], 600],
  ["the first attempt hangs", [hangs], 120, [0], 120],
  ["the second attempt works", [fails, says(CREATED)], 5_000, [0, 100]],
  ["Retry-After: 2", [busy("2")], 10_000, [0, 2_000, 4_000]],
  ["Retry-After: 60", [busy("60")], 10_000, [0]],
  ["Retry-After with a date", [busy("Thu, 01 Jan 1970 00:00:05 GMT")], 10_000, [0, 100, 400]],
  ...[400, 408, 409, 429, 500, 501, 502, 503, 504, 505].map((status): [string, Answer[], number, number[]] => {
    return [String(status), [says({}, status)], 5_000, TRANSIENT.includes(status) ? [0, 100, 400] : [0]];
  }),
])("the API is called at these milliseconds, all within one deadline: %s", async (_, answers, timeoutMs, ...times) => {
  const [calledAt, endedAt = calledAt.at(-1)] = times;
  const made = await apiThat(answers, { idempotent: true, timeoutMs }).create();
  expect([made.calls.map(({ at }) => at), made.endedAt]).toEqual([calledAt, endedAt]);
  if (endedAt === timeoutMs) expect(made.outcome).toEqual({ kind: "unreachable", timedOut: true });
  const once = await apiThat(answers, { timeoutMs }).create();
  expect(once.calls, "without idempotency nothing is sent twice").toHaveLength(1);
});

test.each(["create", "status"] as const)("the body of a refusal is not awaited: %s", async (ask) => {
  const { response, canceled } = bodyOf([], "stalls");
  await apiThat([async () => new Response(response.body, { status: 500 })])[ask]();
  expect(canceled()).toBe(true);
});

const TRIAL = { status: "trial", trial_end: "2026-11-27T12:00:00.000Z" };
const CARD_USED = { status: "card_used", client_secret: "seti_2_secret_2" };

test.each<[string, Answer, object | undefined, endedAt?: number]>([
  ["pending", says({ status: "pending" }), { status: "pending" }],
  ["a trial", says(TRIAL), TRIAL],
  ["the end", says({ status: "ended" }), { status: "ended" }],
  ["a used card", says(CARD_USED), CARD_USED],
  ["404", says(TRIAL, 404), { status: "unknown" }],
  ["an unknown status", says({ status: "perhaps" }), undefined],
  ["a used card without a secret", says({ status: "card_used" }), undefined],
  ["500", says(TRIAL, 500), undefined],
  ["a redirect", says(TRIAL, 302), undefined],
  ["more than 64 KiB", long(TRIAL, 1), undefined],
  ["no connection", fails, undefined],
  ["a time-out", hangs, undefined, 5_000],
])("a sign-up's status is read from the API's response: %s", async (_, answer, status, endedAt = 0) => {
  const outcome = status ?? { status: "unreachable" };
  expect(await apiThat([answer]).status()).toMatchObject({ outcome, endedAt });
});
