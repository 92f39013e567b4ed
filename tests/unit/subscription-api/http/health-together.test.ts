import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { apiInProcess } from "../../../support/api-in-process/api";

/* What many who ask for /health at once, or soon after one another, cost: one look at Stripe and at the database. */

const NOW = Date.parse("2026-03-01T12:00:00.000Z");

beforeEach(() => {
  vi.useFakeTimers({ now: NOW });
});

afterEach(() => {
  vi.useRealTimers();
});

/** An API that counts its statements, and whose Stripe answers after a while. */
function countingApi(stripe: () => Promise<Response> = slowly(() => Response.json({ data: [] }))) {
  let statements = 0;
  let isDown = false;
  const api = apiInProcess({
    upstream: stripe,
    io: async (_, effect) => {
      statements += 1;
      if (isDown) throw new Error("D1_ERROR: it is down");
      return effect();
    },
  });
  const health = async (count: number) => {
    const answers = Promise.all(Array.from({ length: count }, () => api.ask("/health")));
    await vi.advanceTimersByTimeAsync(1_000);
    return (await answers).map(({ status }) => status);
  };
  return {
    ...api,
    health,
    statements: () => statements,
    setDown(value: boolean) {
      isDown = value;
    },
  };
}

const slowly = (answer: () => Response) => () =>
  new Promise<Response>((resolve) => setTimeout(() => resolve(answer()), 200));

test("a hundred concurrent health checks query Stripe once for each kind of object, and the database as often as one check [G15]", async () => {
  const one = countingApi();
  await one.health(1);
  const all = countingApi();
  expect(await all.health(100)).toEqual(Array(100).fill(200));
  expect(all.calls).toHaveLength(4);
  expect(all.statements()).toBe(one.statements());
});

test("a health result is cached for 30 seconds, workload included; then a hundred requests query once more [G15]", async () => {
  const { health, calls, statements } = countingApi();
  await health(1);
  const before = statements();
  await vi.advanceTimersByTimeAsync(28_000);
  expect(await health(100)).toEqual(Array(100).fill(200));
  expect([calls.length, statements()]).toEqual([4, before]);
  await vi.advanceTimersByTimeAsync(1_000);
  await health(100);
  expect([calls.length, statements()]).toEqual([8, 2 * before]);
});

test("an unreachable Stripe is queried no more often, and logged once [G15]", async () => {
  const { health, calls, logged } = countingApi(slowly(() => Response.json({ error: {} }, { status: 401 })));
  expect(await health(100)).toEqual(Array(100).fill(503));
  expect(await health(100)).toEqual(Array(100).fill(503));
  expect(calls).toHaveLength(4);
  expect(logged.filter(({ event }) => event === "stripe_inaccessible")).toHaveLength(1);
});

test("a transient database failure is checked again after a second [G15]", async () => {
  const { health, setDown } = countingApi();
  setDown(true);
  const down = health(1);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(await down).toEqual([503]);
  setDown(false);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await health(1)).toEqual([200]);
});

test("a client that disconnects in the middle delays nobody for more than twenty seconds [G15]", async () => {
  let answers = () => new Promise<Response>(() => {});
  const { ask } = countingApi(() => answers());
  void ask("/health");
  await vi.advanceTimersByTimeAsync(1_000);
  // Of a request that has ended no timer goes off either.
  const now = Date.now();
  vi.clearAllTimers();
  vi.setSystemTime(now);
  answers = slowly(() => Response.json({ data: [] }));
  const next = ask("/health");
  await vi.advanceTimersByTimeAsync(21_000);
  expect((await next).status).toBe(200);
});
