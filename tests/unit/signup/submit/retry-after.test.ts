import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { noticeFor } from "../../../../app/signup/notices";
import { subscriptionApi } from "../../../../app/signup/submit/api-client.server";
import { validRequest } from "../../../support/visitors/visitor";

/* What the site does when the API says when to come back. */

beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
});
afterEach(() => {
  vi.useRealTimers();
});

/** The seconds at which an API that gives this answer is called, and the outcome. */
async function callsOf(status: number, retryAfter: string) {
  const calls: number[] = [];
  const answer = async () => {
    calls.push(Date.now() / 1000);
    return new Response("{}", { status, headers: { "Retry-After": retryAfter } });
  };
  const api = subscriptionApi({
    baseUrl: "http://localhost:9",
    timeoutMs: 10_000,
    idempotent: true,
    binding: { fetch: answer },
  });
  const outcome = api.create(validRequest, { idempotencyKey: "key", requestId: "id", sender: "192.0.2.1" });
  await vi.advanceTimersByTimeAsync(20_000);
  return { calls, outcome: await outcome };
}

test.each([
  ["5", [0, 5]],
  ["2", [0, 2, 4]],
  ["60", [0]],
  ["Thu, 01 Jan 1970 00:00:05 GMT", [0, 0.1, 0.4]],
])("a busy API that says %s is asked again at %j seconds [C9] [H1]", async (retryAfter, seconds) => {
  const { calls, outcome } = await callsOf(503, retryAfter);
  expect(calls).toEqual(seconds);
  expect(outcome).toMatchObject({ kind: "rejected", status: 503 });
});

test.each([
  ["7200", "Too many requests. Please try again tomorrow."],
  ["60", "Too many requests. Please wait a moment and try again."],
])("a limit that ends in %s seconds is told as: %s [H3]", async (retryAfter, message) => {
  const { calls, outcome } = await callsOf(429, retryAfter);
  expect(calls).toHaveLength(1);
  if (outcome.kind === "created") throw new Error("It was to be refused");
  expect(noticeFor(outcome).message).toBe(message);
});
