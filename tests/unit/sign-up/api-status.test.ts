import { expect, test } from "vitest";
import {
  type Answer,
  apiThat,
  breaks,
  fails,
  fakeTimers,
  hangs,
  headersOf,
  long,
  STATUS_URL,
  says,
  saysText,
} from "./called-api";

/* Calls to the subscription API for a sign-up's status, and what they log. */

fakeTimers();

test("a status is asked for without the headers of a sign-up, and no redirect is followed", async () => {
  const { calls } = await apiThat([says({ status: "pending" })]).status();
  expect(calls).toMatchObject([{ url: STATUS_URL, init: { redirect: "manual" } }]);
  expect(headersOf(calls[0]?.init)).toEqual({ accept: "application/json", "x-request-id": "a-request" });
});

const TRIAL = { status: "trial", trial_end: "2026-11-27T12:00:00.000Z" };
const CARD_USED = { status: "card_used", client_secret: "seti_2_secret_2" };

test.each<{ name: string; answer: Answer; status: object }>([
  { name: "pending", answer: says({ status: "pending" }), status: { status: "pending" } },
  { name: "a trial", answer: says(TRIAL), status: TRIAL },
  {
    name: "a trial whose end is too long for a cookie",
    answer: says({ status: "trial", trial_end: `2026-11-27T12:00:00.${"0".repeat(5_000)}Z` }),
    status: { status: "trial", trial_end: undefined },
  },
  { name: "the end", answer: says({ status: "ended" }), status: { status: "ended" } },
  { name: "a used card", answer: says(CARD_USED), status: CARD_USED },
  { name: "404", answer: says(TRIAL, 404), status: { status: "unknown" } },
])("a sign-up's status is read from the API's response: $name", async ({ answer, status }) => {
  expect((await apiThat([answer]).status()).outcome).toEqual(status);
});

test.each<{ name: string; answer: Answer; logs: object }>([
  { name: "an unknown status", answer: says({ status: "perhaps" }), logs: { cause: "answer" } },
  { name: "a used card without a secret", answer: says({ status: "card_used" }), logs: { cause: "answer" } },
  { name: "HTML", answer: saysText("<html>"), logs: { cause: "answer" } },
  { name: "more than 64 KiB", answer: long(JSON.stringify(TRIAL), 1), logs: { cause: "answer" } },
  { name: "500", answer: says(TRIAL, 500), logs: { cause: "status", status: 500 } },
  { name: "429", answer: says({}, 429), logs: { cause: "status", status: 429 } },
  { name: "a redirect", answer: says(TRIAL, 302), logs: { cause: "status", status: 302 } },
  { name: "no connection", answer: fails, logs: { cause: "connection" } },
  { name: "a broken body", answer: breaks, logs: { cause: "connection" } },
])("any other answer leaves the status open, and its cause is logged: $name", async ({ answer, logs }) => {
  const { outcome, logged } = await apiThat([answer]).status();
  expect(outcome).toEqual({ status: "unreachable" });
  expect(logged).toEqual([{ event: "status_check_failed", ...logs }]);
});

test("a status has five seconds, and the log names the deadline", async () => {
  const { outcome, endedAt, logged } = await apiThat([hangs]).status();
  expect({ outcome, endedAt }).toEqual({ outcome: { status: "unreachable" }, endedAt: 5_000 });
  expect(logged).toEqual([{ event: "status_check_failed", cause: "deadline" }]);
});
