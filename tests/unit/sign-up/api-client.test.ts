import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { REQUEST_IN_PROGRESS } from "../../../app/contract/problem-types";
import type { SubscriptionOutcome } from "../../../app/signup/notices";
import { type SubscriptionApiOptions, subscriptionApi } from "../../../app/signup/server/api-client.server";
import { bodyOf } from "../../support/site-in-process/body-of";
import { validRequest } from "../../support/visitors/visitor";

/* What the subscription API is sent and when, and what its answers mean. */

beforeEach(() => {
  vi.useFakeTimers();
  // The stopped clock does not move the platform's own.
  vi.spyOn(AbortSignal, "timeout").mockImplementation((milliseconds) => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(new DOMException("Timed out", "TimeoutError")), milliseconds);
    return controller.signal;
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const STATUS_URL = "https://api.example/v1/status/a";
const CREATED = { client_secret: "seti_1_secret_1" };

type Answer = (init: RequestInit) => Promise<Response>;

/** An API behind the binding that gives these answers in turn, the last one again and again; and what it was sent when. */
function apiThat(answers: Answer[], options: Partial<SubscriptionApiOptions> = {}) {
  const calls: { url: string; init: RequestInit; at: number }[] = [];
  const begun = Date.now();
  const answer = async (url: string, init: RequestInit = {}) => {
    calls.push({ url, init, at: Date.now() - begun });
    return answers[Math.min(calls.length, answers.length) - 1]?.(init) ?? Response.error();
  };
  const network = vi.spyOn(globalThis, "fetch").mockImplementation((url, init) => answer(String(url), init));
  const base = { baseUrl: "https://api.example/v1", timeoutMs: 5_000, idempotent: false };
  const api = subscriptionApi({ ...base, binding: { fetch: answer }, ...options });
  let endedAt = 0;
  async function settle<Outcome>(work: Promise<Outcome>): Promise<Outcome> {
    const noting = work.finally(() => {
      endedAt = Date.now() - begun;
    });
    await vi.runAllTimersAsync();
    return noting;
  }
  const ids = { idempotencyKey: "a-key", requestId: "a-request", sender: "192.0.2.1" };
  return {
    calls,
    network,
    create: () => settle(api.create(validRequest, ids)),
    status: () => settle(api.status(STATUS_URL, "a-request")),
    endedAt: () => endedAt,
  };
}

const says =
  (body: unknown, status = 200, headers: HeadersInit = {}): Answer =>
  async () =>
    Response.json(body, { status, headers });
const saysText =
  (text: string | null, status = 200, type = "text/plain"): Answer =>
  async () =>
    new Response(text, { status, headers: { "Content-Type": type } });
const problem = (text: string) => saysText(text, 409, "application/problem+json; charset=utf-8");
const failsAfter = (milliseconds: number) => () =>
  new Promise<Response>((_, reject) => setTimeout(() => reject(new TypeError("fetch failed")), milliseconds));
const fails = failsAfter(0);
const breaks: Answer = async () => bodyOf(["{"], "breaks off").response;
/** Ends with the signal of its request, as `fetch` does. */
const hangs: Answer = ({ signal }) =>
  new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
const IN_PROGRESS = JSON.stringify({ type: REQUEST_IN_PROGRESS, title: "Still in progress" });

describe("a sign-up sent to the API", () => {
  const sent = {
    accept: "application/json",
    "content-type": "application/json",
    "idempotency-key": "a-key",
    "x-request-id": "a-request",
  };

  test.each<[string, Partial<SubscriptionApiOptions>, object]>([
    ["over the network", { binding: undefined }, sent],
    ["through the binding, with its sender", {}, { ...sent, "subscription-sender": "192.0.2.1" }],
  ])("is posted as the contract requires: %s", async (_, options, headers) => {
    const { create, calls, network } = apiThat([says(CREATED)], options);
    expect(await create()).toEqual({ kind: "created", clientSecret: "seti_1_secret_1" });
    const [{ url, init } = { url: "", init: {} }, ...more] = calls;
    expect([url, init.method, init.redirect, more]).toEqual([
      "https://api.example/v1/subscription",
      "POST",
      "manual",
      [],
    ]);
    expect(Object.fromEntries(new Headers(init.headers))).toEqual(headers);
    expect(JSON.parse(String(init.body))).toEqual(validRequest);
    expect(network.mock.calls.length).toBe("binding" in options ? 1 : 0);
  });

  test.each<[unknown, string | undefined]>([
    [STATUS_URL, STATUS_URL],
    ["https://api.example/elsewhere", "https://api.example/elsewhere"],
    ["https://api.example:8443/v1/status/a", undefined],
    ["http://api.example/v1/status/a", undefined],
    ["https://api.example.evil.test/v1/status/a", undefined],
    ["status/a", undefined],
  ])("has a status URL on the API's own origin: %s", async (status_url, statusUrl) => {
    expect(await apiThat([says({ ...CREATED, status_url })]).create()).toHaveProperty("statusUrl", statusUrl);
  });

  const created = { kind: "created", clientSecret: "seti_1_secret_1" } as const;
  const [unintelligible, misconfigured] = [{ kind: "unintelligible" }, { kind: "misconfigured" }] as const;
  const unreachable = { kind: "unreachable", timedOut: false } as const;
  const rejected = (status: number, retryAfter?: number) => ({ kind: "rejected", status, retryAfter }) as const;
  const whole = (length: number) =>
    saysText(JSON.stringify({ ...CREATED, more: "" }).replace('""', `"${"x".repeat(length)}"`));
  const room = 64 * 1024 - JSON.stringify({ ...CREATED, more: "" }).length;

  test.each<[string, Answer, SubscriptionOutcome]>([
    ["more fields than the contract has", says({ ...CREATED, amount: 0 }), created],
    ["a byte order mark before the JSON", saysText(`\uFEFF${JSON.stringify(CREATED)}`), created],
    ["64 KiB", whole(room), created],
    ["one byte more", whole(room + 1), unintelligible],
    ["HTML", saysText("<html>"), unintelligible],
    ["an empty body", saysText(""), unintelligible],
    ["a 204", saysText(null, 204), unintelligible],
    ["null", says(null), misconfigured],
    ["no client_secret", says({}), misconfigured],
    ["an empty client_secret", says({ client_secret: "" }), misconfigured],
    ["a number as client_secret", says({ client_secret: 1 }), misconfigured],
    ["a client_secret of 301 characters", says({ client_secret: "x".repeat(301) }), misconfigured],
    ["a redirect", saysText("", 302), rejected(302)],
    ["400", says(CREATED, 400), rejected(400)],
    ["409 without a body", saysText(null, 409), rejected(409)],
    ["409 in progress", problem(IN_PROGRESS), rejected(503)],
    ["409 of another type", problem('{"type":"about:blank"}'), rejected(409)],
    ["409 without a problem document", says(JSON.parse(IN_PROGRESS), 409), rejected(409)],
    ["409 with a long problem document", problem(`${" ".repeat(4096)}${IN_PROGRESS}`), rejected(409)],
    ["409 with an incomplete problem document", problem("{"), rejected(409)],
    ["503 with Retry-After", says(CREATED, 503, { "Retry-After": "2" }), rejected(503, 2)],
    ["no connection", fails, unreachable],
    ["a broken body", breaks, unreachable],
  ])("is judged by the API's response: %s", async (_, answer, outcome) => {
    expect(await apiThat([answer]).create()).toEqual(outcome);
  });
});

describe("the API is called at these milliseconds, all within one deadline:", () => {
  const busy = (retryAfter: string) => says({}, 503, { "Retry-After": retryAfter });

  test.each<[string, Answer[], timeoutMs: number, calledAt: number[], endedAt?: number]>([
    ["no connection", [fails], 5_000, [0, 100, 400]],
    ["no connection, with time for two attempts", [fails], 400, [0, 100]],
    ["no connection, with time for three", [fails], 401, [0, 100, 400]],
    ["the second attempt hangs", [failsAfter(400), hangs], 600, [0, 500], 600],
    ["the first attempt hangs", [hangs], 120, [0], 120],
    ["the second attempt works", [fails, says(CREATED)], 5_000, [0, 100]],
    ["Retry-After: 5", [busy("5")], 10_000, [0, 5_000]],
    ["Retry-After: 2", [busy("2")], 10_000, [0, 2_000, 4_000]],
    ["Retry-After: 60", [busy("60")], 10_000, [0]],
    ["Retry-After with a date", [busy("Thu, 01 Jan 1970 00:00:05 GMT")], 10_000, [0, 100, 400]],
    ...[502, 503, 504].map((status): [string, Answer[], number, number[]] => {
      return [String(status), [says({}, status)], 5_000, [0, 100, 400]];
    }),
    ...[400, 408, 409, 429, 500, 501, 505].map((status): [string, Answer[], number, number[]] => {
      return [String(status), [says({}, status)], 5_000, [0]];
    }),
  ])("%s", async (_, answers, timeoutMs, calledAt, endedAt = calledAt.at(-1)) => {
    const repeated = apiThat(answers, { idempotent: true, timeoutMs });
    const outcome = await repeated.create();
    expect([repeated.calls.map(({ at }) => at), repeated.endedAt()]).toEqual([calledAt, endedAt]);
    if (endedAt === timeoutMs) expect(outcome).toEqual({ kind: "unreachable", timedOut: true });
    // Without idempotency nothing is sent twice.
    const once = apiThat(answers, { timeoutMs });
    await once.create();
    expect(once.calls).toHaveLength(1);
  });
});

test("the body of a refusal is not awaited", async () => {
  for (const ask of ["create", "status"] as const) {
    const { response, canceled } = bodyOf([], "stalls");
    await apiThat([async () => new Response(response.body, { status: 500 })])[ask]();
    expect(canceled()).toBe(true);
  }
});

describe("the status of a sign-up", () => {
  test.each<[string, object]>([
    ["over the network", { binding: undefined }],
    ["through the binding", {}],
  ])("is requested at its URL within the deadline, and no redirect is followed: %s", async (_, options) => {
    const { status, calls, network } = apiThat([says({ status: "pending" })], options);
    await status();
    const [{ url, init } = { url: "", init: {} }] = calls;
    expect([url, init.method, init.redirect]).toEqual([STATUS_URL, undefined, "manual"]);
    expect(Object.fromEntries(new Headers(init.headers))).toEqual({
      accept: "application/json",
      "x-request-id": "a-request",
    });
    expect(network.mock.calls.length).toBe("binding" in options ? 1 : 0);
  });

  const TRIAL = { status: "trial", trial_end: "2027-01-20T08:00:00.000Z" };
  const CARD_USED = { status: "card_used", client_secret: "seti_2_secret_2" };
  const LONG = { status: "trial", more: "x".repeat(64 * 1024) };

  test.each<[string, Answer, object]>([
    ["pending", says({ status: "pending" }), { status: "pending" }],
    ["a trial", says(TRIAL), TRIAL],
    ["the end", says({ status: "ended" }), { status: "ended" }],
    ["a used card", says(CARD_USED), CARD_USED],
    ["404", says(TRIAL, 404), { status: "unknown" }],
    ["an unknown status", says({ status: "perhaps" }), { status: "unreachable" }],
    ["a used card without a secret", says({ status: "card_used" }), { status: "unreachable" }],
    ["500", says(TRIAL, 500), { status: "unreachable" }],
    ["a redirect", says(TRIAL, 302), { status: "unreachable" }],
    ["more than 64 KiB", says(LONG), { status: "unreachable" }],
    ["HTML", saysText("<html>"), { status: "unreachable" }],
    ["nothing", saysText(""), { status: "unreachable" }],
    ["no connection", fails, { status: "unreachable" }],
    ["a broken body", breaks, { status: "unreachable" }],
    ["a time-out", hangs, { status: "unreachable" }],
  ])("is read from the API's response: %s", async (_, answer, read) => {
    const { status, endedAt } = apiThat([answer]);
    expect(await status()).toEqual(read);
    expect(endedAt()).toBe(answer === hangs ? 5_000 : 0);
  });
});
