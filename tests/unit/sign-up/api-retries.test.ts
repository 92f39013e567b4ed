import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { subscriptionApi } from "../../../app/signup/server/api-client.server";
import { validRequest } from "../../support/visitors/visitor";

/* How often the subscription API is called, and when; what it is sent, and what its answers mean, is in api-client.test.ts. */

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
});

const IDS = { idempotencyKey: "key", requestId: "id", sender: "192.0.2.1" };

type Does = (signal: AbortSignal) => Promise<Response>;

/** An API that does these, one after the other, and when it was called. */
function apiThat(timeoutMs: number, does: Does[], idempotent = true) {
  const started = performance.now();
  const calledAt: number[] = [];
  const fetchFrom = async (_: string, init?: RequestInit) => {
    const answer = does[calledAt.length];
    calledAt.push(performance.now() - started);
    if (!answer || !init?.signal) throw new Error("It was not to be called");
    return answer(init.signal);
  };
  const binding = { fetch: fetchFrom };
  const api = subscriptionApi({ baseUrl: "http://localhost:9", timeoutMs, idempotent, binding });
  let endedAt = 0;
  const create = async () => {
    const outcome = api.create(validRequest, IDS).finally(() => {
      endedAt = performance.now();
    });
    await vi.runAllTimersAsync();
    return outcome;
  };
  return { calledAt, create, took: () => endedAt - started };
}

const fails = (afterMs: number) => () =>
  new Promise<Response>((_, reject) => setTimeout(() => reject(new TypeError("fetch failed")), afterMs));

const hangs = (signal: AbortSignal) =>
  new Promise<Response>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));

test("all attempts share one deadline: the second gets the time that the first left", async () => {
  const { create, calledAt, took } = apiThat(600, [fails(400), hangs]);
  expect(await create()).toEqual({ kind: "unreachable", timedOut: true });
  expect(calledAt).toHaveLength(2);
  expect(took()).toBe(600);
});

test("the second attempt waits 0.1 s, the third 0.3 s", async () => {
  const { create, calledAt } = apiThat(5_000, [fails(0), fails(0), fails(0)]);
  expect(await create()).toEqual({ kind: "unreachable", timedOut: false });
  expect(calledAt).toEqual([0, 100, 400]);
});

test.each([
  ...[502, 503, 504].map((status) => [status, 3]),
  ...[400, 408, 409, 429, 500, 501, 505].map((status) => [status, 1]),
])("an API that responds with %i is called %i times", async (status, calls) => {
  const answers = async () => new Response("{}", { status });
  const { create, calledAt } = apiThat(5_000, [answers, answers, answers]);
  expect(await create()).toEqual({ kind: "rejected", status });
  expect(calledAt).toHaveLength(calls);
});

test.each([
  ["5", [0, 5_000]],
  ["2", [0, 2_000, 4_000]],
  ["60", [0]],
  ["Thu, 01 Jan 1970 00:00:05 GMT", [0, 100, 400]],
])("an API that responds with Retry-After: %s is called after %j milliseconds", async (retryAfter, times) => {
  const busy = async () => new Response("{}", { status: 503, headers: { "Retry-After": retryAfter } });
  const { create, calledAt } = apiThat(10_000, [busy, busy, busy]);
  expect(await create()).toMatchObject({ kind: "rejected", status: 503 });
  expect(calledAt).toEqual(times);
});

test("no attempt begins that could not end before the deadline", async () => {
  const { create, calledAt, took } = apiThat(350, [fails(0), fails(0)]);
  expect(await create()).toEqual({ kind: "unreachable", timedOut: false });
  expect(calledAt).toEqual([0, 100]);
  expect(took()).toBe(100);
});

describe("an API without idempotency", () => {
  test.each<[string, Does]>([
    ["no connection", fails(0)],
    ["503", async () => new Response("{}", { status: 503 })],
  ])("is called once: %s", async (_, answer) => {
    const { create, calledAt } = apiThat(5_000, [answer, answer], false);
    await create();
    expect(calledAt).toHaveLength(1);
  });

  test("is not awaited beyond the deadline", async () => {
    const { create, calledAt, took } = apiThat(120, [hangs], false);
    expect(await create()).toEqual({ kind: "unreachable", timedOut: true });
    expect(took()).toBe(120);
    expect(calledAt).toHaveLength(1);
  });
});
