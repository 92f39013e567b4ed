import { afterEach, describe, expect, test, vi } from "vitest";
import { REQUEST_IN_PROGRESS } from "../../../app/contract/problem-types";
import type { SubscriptionOutcome } from "../../../app/signup/notices";
import { type SubscriptionApiOptions, subscriptionApi } from "../../../app/signup/server/api-client.server";
import { bodyOf } from "../../support/site-in-process/body-of";
import { validRequest } from "../../support/visitors/visitor";

/* What the subscription API is sent, and what its answers mean; when it is called again is in api-retries.test.ts. */

afterEach(() => vi.restoreAllMocks());

const BASE = "https://api.example/v1";
const STATUS_URL = "https://api.example/v1/status/a";
const IDS = { idempotencyKey: "a-key", requestId: "a-request", sender: "192.0.2.1" };

type Call = { url: string; init: RequestInit };
type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** The API over the network, or by the platform's binding. */
function apiThat(
  answer: Fetch,
  { way = "network", ...options }: { way?: string } & Partial<SubscriptionApiOptions> = {},
) {
  const calls: Call[] = [];
  const send: Fetch = async (url, init) => {
    calls.push({ url, init });
    return answer(url, init);
  };
  const network = vi.spyOn(globalThis, "fetch").mockImplementation((url, init = {}) => send(String(url), init));
  const binding = way === "binding" ? { fetch: send } : undefined;
  const api = subscriptionApi({ baseUrl: BASE, timeoutMs: 5_000, idempotent: false, binding, ...options });
  return { api, calls, network };
}

const says =
  (body: unknown, status = 200, headers: HeadersInit = {}): Fetch =>
  async () =>
    Response.json(body, { status, headers });

const saysText =
  (text: string, status = 200): Fetch =>
  async () =>
    new Response(bodyOf(text === "" ? [] : [text]).response.body, { status });

/** Ends with the signal of its request, as `fetch` does. */
const hangs: Fetch = (_, { signal }) =>
  new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));

const fails: Fetch = async () => {
  throw new TypeError("fetch failed");
};

const breaks: Fetch = async () => bodyOf(["{"], "breaks off").response;

const IN_PROGRESS = JSON.stringify({ type: REQUEST_IN_PROGRESS, title: "Still in progress" });
const problem = (text: string) => async () =>
  new Response(text, { status: 409, headers: { "Content-Type": "application/problem+json; charset=utf-8" } });
const CREATED = { client_secret: "seti_1_secret_1" };

describe("a sign-up sent to the API", () => {
  const common = {
    accept: "application/json",
    "content-type": "application/json",
    "idempotency-key": "a-key",
    "x-request-id": "a-request",
  };
  const sender = { "subscription-sender": "192.0.2.1" };

  test.each<[string, object, Record<string, string>]>([
    ["over the network", {}, common],
    ["through the binding", { way: "binding" }, { ...common, ...sender }],
    ["to an idempotent API", { idempotent: true }, common],
  ])("is posted as the contract requires: %s", async (_, options, headers) => {
    const { api, calls, network } = apiThat(says(CREATED), options);
    expect(await api.create(validRequest, IDS)).toEqual({ kind: "created", clientSecret: "seti_1_secret_1" });
    const [{ url, init } = { url: "", init: {} }, ...more] = calls;
    expect(more).toEqual([]);
    expect([url, init.method, init.redirect]).toEqual([`${BASE}/subscription`, "POST", "manual"]);
    expect(Object.fromEntries(new Headers(init.headers))).toEqual(headers);
    expect(JSON.parse(String(init.body))).toEqual(validRequest);
    expect(network.mock.calls.length).toBe("way" in options ? 0 : 1);
  });

  test.each<[unknown, string | undefined]>([
    [STATUS_URL, STATUS_URL],
    ["https://api.example/elsewhere", "https://api.example/elsewhere"],
    ["https://api.example:8443/v1/status/a", undefined],
    ["http://api.example/v1/status/a", undefined],
    ["https://api.example.evil.test/v1/status/a", undefined],
    ["status/a", undefined],
    [undefined, undefined],
  ])("has a status URL on the API's own origin: %s", async (status_url, statusUrl) => {
    const { api } = apiThat(says({ ...CREATED, status_url }));
    expect(await api.create(validRequest, IDS)).toEqual({
      kind: "created",
      clientSecret: "seti_1_secret_1",
      statusUrl,
    });
  });

  const created = { kind: "created", clientSecret: "seti_1_secret_1" } as const;
  const unintelligible = { kind: "unintelligible" } as const;
  const misconfigured = { kind: "misconfigured" } as const;
  const unreachable = { kind: "unreachable", timedOut: false } as const;
  const whole = (length: number) => JSON.stringify({ ...CREATED, more: "x".repeat(length) });
  const overhead = whole(0).length;

  test.each<[string, Fetch, SubscriptionOutcome]>([
    ["more fields than the contract has", says({ ...CREATED, amount: 0 }), created],
    ["a byte order mark before the JSON", saysText(`\uFEFF${whole(0)}`), created],
    ["64 KiB", saysText(whole(64 * 1024 - overhead)), created],
    ["one byte more", saysText(whole(64 * 1024 - overhead + 1)), unintelligible],
    ["HTML", saysText("<html>"), unintelligible],
    ["an empty body", saysText(""), unintelligible],
    ["a 204", async () => new Response(null, { status: 204 }), unintelligible],
    ["half a surrogate pair", saysText('{"client_secret":"\\ud800'), unintelligible],
    ["60,000 brackets", saysText("[".repeat(60_000)), unintelligible],
    ["null", says(null), misconfigured],
    ["a list", says([]), misconfigured],
    ["no client_secret", says({}), misconfigured],
    ["an empty client_secret", says({ client_secret: "" }), misconfigured],
    ["a number as client_secret", says({ client_secret: 1 }), misconfigured],
    [
      "a client_secret of 2,000 characters",
      says({ client_secret: `seti_1_secret_${"x".repeat(2000)}` }),
      misconfigured,
    ],
    ["a redirect", saysText("", 302), { kind: "rejected", status: 302 }],
    ["400", says(CREATED, 400), { kind: "rejected", status: 400 }],
    ["409 without a body", async () => new Response(null, { status: 409 }), { kind: "rejected", status: 409 }],
    [
      "409 with Retry-After",
      says(CREATED, 409, { "Retry-After": "2" }),
      { kind: "rejected", status: 409, retryAfter: 2 },
    ],
    ["409 in progress", problem(IN_PROGRESS), { kind: "rejected", status: 503 }],
    ["409 of another type", problem('{"type":"about:blank"}'), { kind: "rejected", status: 409 }],
    ["409 without a problem document", says(JSON.parse(IN_PROGRESS), 409), { kind: "rejected", status: 409 }],
    [
      "409 with a long problem document",
      problem(`${" ".repeat(4096)}${IN_PROGRESS}`),
      { kind: "rejected", status: 409 },
    ],
    ["409 with an incomplete problem document", problem("{"), { kind: "rejected", status: 409 }],
    [
      "503 with Retry-After",
      says(CREATED, 503, { "Retry-After": "2" }),
      { kind: "rejected", status: 503, retryAfter: 2 },
    ],
    ["no connection", fails, unreachable],
    ["a broken body", breaks, unreachable],
  ])("is judged by the API's response: %s", async (_, answer, outcome) => {
    for (const way of ["network", "binding"]) {
      expect(await apiThat(answer, { way }).api.create(validRequest, IDS)).toEqual(outcome);
    }
  });
});

test("does not wait for the body of a refusal", async () => {
  const refusedWith = (status: number) => {
    const { response, canceled } = bodyOf([], "stalls");
    return { answer: async () => new Response(response.body, { status }), canceled };
  };
  for (const idempotent of [true, false]) {
    const { answer, canceled } = refusedWith(500);
    await apiThat(answer, { idempotent }).api.create(validRequest, IDS);
    expect(canceled()).toBe(true);
  }
  const { answer, canceled } = refusedWith(404);
  await apiThat(answer).api.status(STATUS_URL, "a-request");
  expect(canceled()).toBe(true);
});

describe("the status of a sign-up", () => {
  test.each([{}, { way: "binding" }])("is requested at its URL, and no redirect is followed: %j", async (options) => {
    const { api, calls, network } = apiThat(says({ status: "pending" }), options);
    await api.status(STATUS_URL, "a-request");
    const [{ url, init } = { url: "", init: {} }] = calls;
    expect([url, init.method, init.redirect]).toEqual([STATUS_URL, undefined, "manual"]);
    const headers = { accept: "application/json", "x-request-id": "a-request" };
    expect(Object.fromEntries(new Headers(init.headers))).toEqual(headers);
    expect(network.mock.calls.length).toBe("way" in options ? 0 : 1);
  });

  test.each<object>([
    { status: "pending" },
    { status: "trial" },
    { status: "ended" },
    { status: "card_used", client_secret: "seti_2_secret_2" },
  ])("is read from the API's response: %j", async (status) => {
    expect(await apiThat(says(status)).api.status(STATUS_URL, "a-request")).toEqual(status);
  });

  test.each<[string, Fetch]>([
    ["an unknown status", says({ status: "perhaps" })],
    ["a used card without a secret", says({ status: "card_used" })],
    ["a refusal with a body", says({ status: "trial" }, 500)],
    ["a redirect", says({ status: "trial" }, 302)],
    ["more than 64 KiB", saysText(JSON.stringify({ status: "trial", more: "x".repeat(64 * 1024) }))],
    ["HTML", saysText("<html>")],
    ["nothing", saysText("")],
    ["no connection", fails],
    ["a broken body", breaks],
    ["a time-out", hangs],
  ])("is unknown after a response of %s", async (_, answer) => {
    const { api } = apiThat(answer, { timeoutMs: 100 });
    expect(await api.status(STATUS_URL, "a-request")).toEqual({ status: "unreachable" });
  });
});
