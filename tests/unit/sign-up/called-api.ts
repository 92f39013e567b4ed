import { afterEach, beforeEach, vi } from "vitest";
import { type SubscriptionApiOptions, subscriptionApi } from "../../../app/signup/server/api-client.server";
import { validRequest } from "../../support/person";
import { bodyOf } from "../../support/site-in-process/body-of";

/** Stops the clock of a file's tests, and makes deadlines pass with it. */
export function fakeTimers() {
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
}

export const STATUS_URL = "https://api.example/v1/status/a";
export const CREATED = { client_secret: "seti_1_secret_1" };
export type Answer = (init: RequestInit) => Promise<Response>;

/** An API behind the binding. It gives these answers in turn, repeats the last, and records each request with its time. */
export function apiThat(answers: Answer[], options: Partial<SubscriptionApiOptions> = {}) {
  vi.setSystemTime(0);
  const calls: { url: string; init: RequestInit; at: number }[] = [];
  const answer = async (url: string, init: RequestInit = {}) => {
    calls.push({ url, init, at: Date.now() });
    return answers[Math.min(calls.length, answers.length) - 1]?.(init) ?? Response.error();
  };
  const network = vi.spyOn(globalThis, "fetch").mockImplementation((url, init) => answer(String(url), init));
  const base = { baseUrl: "https://api.example/v1", timeoutMs: 5_000, idempotent: false };
  const api = subscriptionApi({ ...base, binding: { fetch: answer }, ...options });
  const ids = { idempotencyKey: "a-key", requestId: "a-request", rateLimitKey: "192.0.2.1" };
  async function settle<Outcome>(work: Promise<Outcome>) {
    const settled = work.then((outcome) => ({ outcome, endedAt: Date.now() }));
    await vi.runAllTimersAsync();
    return { ...(await settled), calls, network: network.mock.calls.length };
  }
  const create = (shownPriceCents?: number) => settle(api.create(validRequest, { ...ids, shownPriceCents }));
  const logged: object[] = [];
  const warn = (event: string, fields = {}) => void logged.push({ event, ...fields });
  const log = { warn, add() {}, end() {}, info() {}, error() {}, failure() {} };
  const by = { requestId: "a-request", log };
  const status = async () => ({ ...(await settle(api.status(STATUS_URL, by))), logged });
  const askForPackage = async () => ({ ...(await settle(api.package("an id", by))), logged });
  return { create, status, askForPackage };
}

export const says = (body: unknown, status = 200, headers: HeadersInit = {}) => {
  return async () => Response.json(body, { status, headers });
};
export const saysText = (text: string, status = 200, type = "text/plain") => {
  return async () => new Response(text, { status, headers: { "Content-Type": type } });
};
export const failsAfter = (milliseconds: number) => () =>
  new Promise<Response>((_, reject) => setTimeout(() => reject(new TypeError("fetch failed")), milliseconds));
export const fails = failsAfter(0);
export const breaks: Answer = async () => bodyOf(["{"], "breaks off").response;
/** Ends with the signal of its request, as `fetch` does. */
export const hangs: Answer = ({ signal }) =>
  new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
/** A text that ends so many bytes after the 64 KiB that are read. */
export const long = (text: string, more: number) => saysText(text.padStart(64 * 1024 + more));
export const headersOf = (init: RequestInit | undefined) => Object.fromEntries(new Headers(init?.headers));
