import { redirect } from "@remix-run/cloudflare";
import { UNSAFE_ErrorResponseImpl as ErrorResponse } from "@remix-run/router";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { loadStep, troubleOf } from "../../../app/signup/load-step";

const reported: unknown[] = [];

beforeEach(() => {
  const browser = new EventTarget();
  reported.length = 0;
  vi.useFakeTimers();
  vi.stubGlobal("addEventListener", browser.addEventListener.bind(browser));
  vi.stubGlobal("dispatchEvent", browser.dispatchEvent.bind(browser));
  vi.stubGlobal("reportError", (error: unknown) => reported.push(error));
  vi.stubGlobal("navigator", { onLine: true });
  return () => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  };
});

/** A step that is there after some failures, and when it was asked for. */
function failing(times: number, thrown: unknown) {
  const begun = Date.now();
  const asked: number[] = [];
  const ask = async () => {
    asked.push(Date.now() - begun);
    if (asked.length <= times) throw thrown;
    return "the step";
  };
  return { ask, asked };
}

const LOST = [
  "Failed to fetch",
  "NetworkError when attempting to fetch resource.",
  "Load failed",
  "The network connection was lost.",
  "The Internet connection appears to be offline.",
  "Failed to fetch dynamically imported module: https://www.site.example/x.js",
  "error loading dynamically imported module: https://www.site.example/x.js",
  "Importing a module script failed.",
].map((message) => [message, new TypeError(message)] as const);

const UNREAD: [string, unknown][] = [
  ["a plain page", new Error("Unable to decode turbo-stream response from URL: /subscription.data")],
  ["an error of the server", new ErrorResponse(500, "Internal Server Error", null)],
];

test.each([...LOST, ...UNREAD])("the next step is requested up to five times: %s", async (_, thrown) => {
  const { ask, asked } = failing(4, thrown);
  const step = loadStep(ask, new AbortController().signal);
  await vi.runAllTimersAsync();
  expect(await step).toBe("the step");
  expect(asked).toEqual([0, 500, 1_500, 3_500, 7_500]);
  const never = failing(Number.POSITIVE_INFINITY, thrown);
  const failed = expect(loadStep(never.ask, new AbortController().signal)).rejects.toBe(thrown);
  await vi.runAllTimersAsync();
  await failed;
  expect(never.asked).toHaveLength(5);
  expect(reported).toEqual([]);
  expect(vi.getTimerCount()).toBe(0);
});

test("loading stops when the visitor leaves the page", async () => {
  const elsewhere = new AbortController();
  const { ask, asked } = failing(Number.POSITIVE_INFINITY, new TypeError("Failed to fetch"));
  const step = expect(loadStep(ask, elsewhere.signal)).rejects.toThrow("aborted");
  await vi.advanceTimersByTimeAsync(600);
  elsewhere.abort();
  await vi.runAllTimersAsync();
  await step;
  expect([asked, vi.getTimerCount()]).toEqual([[0, 500], 0]);
});

describe("the next step is not loaded again", () => {
  test.each([
    new TypeError("Cannot read properties of undefined (reading 'step')"),
    new RangeError("Maximum call stack size exceeded"),
  ])("when its own code fails, which is reported: %s", async (thrown) => {
    const { ask, asked } = failing(1, thrown);
    await expect(loadStep(ask, new AbortController().signal)).rejects.toBe(thrown);
    expect([asked, reported]).toEqual([[0], [thrown]]);
  });

  test("when the response is a redirect", async () => {
    const { ask, asked } = failing(1, redirect("/subscription"));
    await expect(loadStep(ask, new AbortController().signal)).rejects.toBeInstanceOf(Response);
    expect([asked, reported]).toEqual([[0], []]);
  });
});

test("an offline browser shows the offline message without a request", () => {
  vi.stubGlobal("navigator", { onLine: false });
  expect(troubleOf(new TypeError("Die Verbindung wurde unterbrochen."))).toBe("offline");
});
