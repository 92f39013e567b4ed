import { describe, expect, test } from "vitest";
import { REQUEST_IN_PROGRESS } from "../../../app/contract/problem-types";
import { validRequest } from "../../support/person";
import { bodyOf } from "../../support/site-in-process/body-of";
import {
  type Answer,
  apiThat,
  breaks,
  CREATED,
  fails,
  failsAfter,
  fakeTimers,
  hangs,
  headersOf,
  long,
  STATUS_URL,
  says,
  saysText,
} from "./called-api";

/* Calls to the subscription API that create a sign-up, and the outcome for each of its answers. */

fakeTimers();

const problem = (text: string) => saysText(text, 409, "application/problem+json; charset=utf-8");
const IN_PROGRESS = JSON.stringify({ type: REQUEST_IN_PROGRESS, title: "Still in progress" });

describe("a sign-up", () => {
  test("is posted as the contract requires, and no redirect is followed", async () => {
    const { calls } = await apiThat([says(CREATED)]).create();
    expect(calls).toMatchObject([
      { url: "https://api.example/v1/subscription", init: { method: "POST", redirect: "manual" } },
    ]);
    expect(JSON.parse(String(calls[0]?.init.body))).toEqual(validRequest);
  });

  test("through the binding has the visitor's rate limit key, and stays off the network", async () => {
    const { calls, network } = await apiThat([says(CREATED)]).create();
    expect(headersOf(calls[0]?.init)).toEqual({
      accept: "application/json",
      "content-type": "application/json",
      "idempotency-key": "a-key",
      "x-request-id": "a-request",
      "subscription-sender": "192.0.2.1",
    });
    expect(network).toBe(0);
  });

  test("over the network has no rate limit key", async () => {
    const { calls, network } = await apiThat([says(CREATED)], { binding: undefined }).create();
    expect(headersOf(calls[0]?.init)).not.toHaveProperty("subscription-sender");
    expect(network).toBe(1);
  });

  test("has the price that its form showed", async () => {
    const { calls } = await apiThat([says(CREATED)]).create(45_000);
    expect(headersOf(calls[0]?.init)).toHaveProperty("subscription-price-cents", "45000");
  });
});

const created = { kind: "created", clientSecret: "seti_1_secret_1" };
const [unintelligible, misconfigured] = [{ kind: "unintelligible" }, { kind: "misconfigured" }];
const unreachable = { kind: "unreachable", cause: "connection" };
const rejected = (status: number, retryAfter?: number) => ({ kind: "rejected", status, retryAfter });
const at = (status_url: string) => says({ ...CREATED, status_url });
const endsAt = (expires_at: string) => says({ ...CREATED, expires_at });

test.each<{ name: string; answer: Answer; outcome: object }>([
  { name: "more fields than the contract has", answer: says({ ...CREATED, amount: 0 }), outcome: created },
  {
    name: "a status URL on the API's own origin",
    answer: at(STATUS_URL),
    outcome: { ...created, statusUrl: STATUS_URL },
  },
  { name: "a status URL on another port", answer: at("https://api.example:8443/v1/status/a"), outcome: created },
  { name: "a status URL without TLS", answer: at("http://api.example/v1/status/a"), outcome: created },
  { name: "a status URL on another host", answer: at("https://api.example.evil.test/v1/status/a"), outcome: created },
  { name: "a relative status URL", answer: at("status/a"), outcome: created },
  { name: "an end", answer: endsAt("1970-01-01T00:00:00.001Z"), outcome: { ...created, expiresAt: 1 } },
  { name: "an end that is not in the future", answer: endsAt("1970-01-01T00:00:00Z"), outcome: created },
  { name: "an end that is no time", answer: endsAt("tomorrow"), outcome: created },
  { name: "64 KiB", answer: long(JSON.stringify(CREATED), 0), outcome: created },
  { name: "one byte more", answer: long(JSON.stringify(CREATED), 1), outcome: unintelligible },
  { name: "more than 64 KiB of HTML", answer: long("<html></html>", 1), outcome: misconfigured },
  { name: "incomplete JSON", answer: saysText(' {"client_secret":"seti_1'), outcome: unintelligible },
  { name: "no body", answer: async () => new Response(null, { status: 204 }), outcome: misconfigured },
  { name: "an empty body", answer: saysText("", 201), outcome: misconfigured },
  { name: "HTML", answer: saysText("<html>"), outcome: misconfigured },
  { name: "no client_secret", answer: says({}), outcome: misconfigured },
  { name: "an empty client_secret", answer: says({ client_secret: "" }), outcome: misconfigured },
  {
    name: "a client_secret of 301 characters",
    answer: says({ client_secret: "x".repeat(301) }),
    outcome: misconfigured,
  },
  { name: "a redirect", answer: saysText("", 302), outcome: rejected(302) },
  { name: "409 in progress", answer: problem(IN_PROGRESS), outcome: rejected(503) },
  { name: "409 of another type", answer: problem('{"type":"about:blank"}'), outcome: rejected(409) },
  { name: "409 without a problem document", answer: says(JSON.parse(IN_PROGRESS), 409), outcome: rejected(409) },
  {
    name: "409 with a long problem document",
    answer: problem(`${" ".repeat(4096)}${IN_PROGRESS}`),
    outcome: rejected(409),
  },
  { name: "409 with an incomplete problem document", answer: problem("{"), outcome: rejected(409) },
  { name: "503 with Retry-After", answer: says(CREATED, 503, { "Retry-After": "2" }), outcome: rejected(503, 2) },
  { name: "no connection", answer: fails, outcome: unreachable },
  { name: "a broken body", answer: breaks, outcome: unreachable },
])("a sign-up is judged by the API's response: $name", async ({ answer, outcome }) => {
  expect((await apiThat([answer]).create()).outcome).toEqual(outcome);
});

const busy = (retryAfter: string) => says({}, 503, { "Retry-After": retryAfter });

describe("an API that honors the key", () => {
  interface Row {
    name: string;
    answers: Answer[];
    timeoutMs: number;
    /** Milliseconds. */
    calledAt: number[];
  }

  test.each<Row>([
    { name: "without a connection", answers: [fails], timeoutMs: 5_000, calledAt: [0, 100, 400] },
    { name: "with time for two attempts", answers: [fails], timeoutMs: 400, calledAt: [0, 100] },
    { name: "with time for three", answers: [fails], timeoutMs: 401, calledAt: [0, 100, 400] },
    { name: "until one attempt works", answers: [fails, says(CREATED)], timeoutMs: 5_000, calledAt: [0, 100] },
    { name: "after its Retry-After: 2", answers: [busy("2")], timeoutMs: 10_000, calledAt: [0, 2_000, 4_000] },
    { name: "but not if its Retry-After is too late", answers: [busy("60")], timeoutMs: 10_000, calledAt: [0] },
    {
      name: "soon if its Retry-After is a date",
      answers: [busy("Thu, 01 Jan 1970 00:00:05 GMT")],
      timeoutMs: 10_000,
      calledAt: [0, 100, 400],
    },
  ])("is called again $name", async ({ answers, timeoutMs, calledAt }) => {
    const { calls, endedAt } = await apiThat(answers, { idempotent: true, timeoutMs }).create();
    expect(calls.map(({ at }) => at)).toEqual(calledAt);
    expect(endedAt).toBe(calledAt.at(-1));
  });

  test.each<Row>([
    { name: "the first attempt hangs", answers: [hangs], timeoutMs: 120, calledAt: [0] },
    { name: "the second attempt hangs", answers: [failsAfter(400), hangs], timeoutMs: 600, calledAt: [0, 500] },
  ])("is given up at the one deadline: $name", async ({ answers, timeoutMs, calledAt }) => {
    const { calls, endedAt, outcome } = await apiThat(answers, { idempotent: true, timeoutMs }).create();
    expect(calls.map(({ at }) => at)).toEqual(calledAt);
    expect(outcome).toEqual({ kind: "unreachable", cause: "deadline" });
    expect(endedAt).toBe(timeoutMs);
  });

  test.each([502, 503, 504])("is called three times after a passing failure: %i", async (status) => {
    expect((await apiThat([says({}, status)], { idempotent: true }).create()).calls).toHaveLength(3);
  });

  test.each([400, 408, 409, 429, 500, 501, 505])("is called once after another status: %i", async (status) => {
    expect((await apiThat([says({}, status)], { idempotent: true }).create()).calls).toHaveLength(1);
  });
});

test.each([
  { name: "no connection", answer: fails },
  { name: "503", answer: busy("2") },
])("an API that does not honor the key is called once: $name", async ({ answer }) => {
  expect((await apiThat([answer]).create()).calls).toHaveLength(1);
});

test.each(["create", "status"] as const)("the body of a refusal is not awaited: %s", async (ask) => {
  const { response, canceled } = bodyOf([], "stalls");
  await apiThat([async () => new Response(response.body, { status: 500 })])[ask]();
  expect(canceled()).toBe(true);
});
