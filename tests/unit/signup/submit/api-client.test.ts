import { expect, test } from "vitest";
import { subscriptionApi } from "../../../../app/signup/submit/api-client.server";
import { validRequest } from "../../../support/visitors/visitor";

/* The times of the calls to an idempotent API; what is called, and what its answers mean, is in tests/edge/sign-up/. */

const IDS = { idempotencyKey: "key", requestId: "id", sender: "192.0.2.1" };

/** An API that does these, one after the other, and when it was called. */
function apiThat(timeoutMs: number, ...does: ((signal: AbortSignal) => Promise<Response>)[]) {
  const started = performance.now();
  const calledAt: number[] = [];
  const fetchFrom = async (_: string, init?: RequestInit) => {
    const answer = does[calledAt.length];
    calledAt.push(performance.now() - started);
    if (!answer || !init?.signal) throw new Error("It was not to be called");
    return answer(init.signal);
  };
  const binding = { fetch: fetchFrom };
  const api = subscriptionApi({ baseUrl: "http://localhost:9", timeoutMs, idempotent: true, binding });
  return { calledAt, create: () => api.create(validRequest, IDS), took: () => performance.now() - started };
}

const fails = (afterMs: number) => () =>
  new Promise<Response>((_, reject) => setTimeout(() => reject(new TypeError("fetch failed")), afterMs));

const hangs = (signal: AbortSignal) =>
  new Promise<Response>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));

test("the deadline is for all tries: the second one gets what the first has left [C1] [C9]", async () => {
  const { create, calledAt, took } = apiThat(600, fails(400), hangs);
  expect(await create()).toEqual({ kind: "unreachable", timedOut: true });
  expect(calledAt).toHaveLength(2);
  expect(took()).toBeGreaterThan(590);
  expect(took()).toBeLessThan(900);
});

test("the second try waits a tenth of a second, the third three tenths [C9]", async () => {
  const { create, calledAt } = apiThat(5_000, fails(0), fails(0), fails(0));
  expect(await create()).toEqual({ kind: "unreachable", timedOut: false });
  const [first = 0, second = 0, third = 0, ...more] = calledAt;
  expect(more).toEqual([]);
  expect(second - first).toBeGreaterThan(95);
  expect(second - first).toBeLessThan(280);
  expect(third - second).toBeGreaterThan(295);
  expect(third - second).toBeLessThan(900);
});

test.each([
  [502, 3],
  [503, 3],
  [504, 3],
  [400, 1],
  [408, 1],
  [409, 1],
  [429, 1],
  [500, 1],
  [501, 1],
  [505, 1],
])("an API that answers %i is called %i times [C9]", async (status, calls) => {
  const answers = async () => new Response("{}", { status });
  const { create, calledAt } = apiThat(5_000, answers, answers, answers);
  expect(await create()).toEqual({ kind: "rejected", status });
  expect(calledAt).toHaveLength(calls);
});

test("no try begins that could not end within the deadline [C9]", async () => {
  const { create, calledAt, took } = apiThat(350, fails(0), fails(0));
  expect(await create()).toEqual({ kind: "unreachable", timedOut: false });
  expect(calledAt).toHaveLength(2);
  expect(took()).toBeLessThan(330);
});
