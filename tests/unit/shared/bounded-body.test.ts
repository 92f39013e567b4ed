import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { readBoundedBytes, readBoundedText } from "../../../app/shared/http/bounded-body";
import { bodyOf } from "../../support/site-in-process/body-of";

/* A body is read up to a limit, here of 9 bytes, and within a deadline. */

const LIMIT = { bytes: 9 };
const bytes = new TextEncoder().encode("ä€😀");
const splitCharacters = [bytes.slice(0, 4), bytes.slice(4, 6), bytes.slice(6)];

test.each([
  { what: "without a byte", parts: [], text: "" },
  { what: "of 9 bytes", parts: ["x".repeat(9)], text: "x".repeat(9) },
  { what: "whose chunks split characters", parts: splitCharacters, text: "ä€😀" },
  { what: "with half a character", parts: splitCharacters.slice(0, 1), text: "ä\ufffd" },
])("a body $what is read", async ({ parts, text }) => {
  const { response, canceled } = bodyOf(parts);
  expect(await readBoundedText(response, LIMIT)).toEqual({ status: "read", text });
  expect(canceled()).toBe(false);
});

test("a missing body is empty", async () => {
  expect(await readBoundedText(new Response(null), LIMIT)).toEqual({ status: "read", text: "" });
});

test("a body is read as bytes too", async () => {
  expect(await readBoundedBytes(bodyOf(splitCharacters).response, LIMIT)).toEqual({ status: "read", bytes });
});

test.each([
  { what: "of 10 bytes", body: () => bodyOf(["x".repeat(10)]) },
  { what: "without an end", body: () => bodyOf(["xxxx"], "goes on") },
])("a body $what is too long: its first 9 bytes are given, and the rest is canceled", async ({ body }) => {
  const { response, taken, canceled } = body();
  expect(await readBoundedText(response, LIMIT)).toEqual({ status: "too long", text: "x".repeat(9) });
  expect(canceled()).toBe(true);
  expect(taken(), "parts read").toBeLessThan(6);
});

test.each<{ what: string; headers: Record<string, string> }>([
  { what: "more than the limit", headers: { "Content-Length": "10" } },
  { what: "nothing", headers: { "Content-Length": "" } },
  { what: "its compressed length", headers: { "Content-Length": "1", "Content-Encoding": "gzip" } },
  { what: "a length that its chunks override", headers: { "Content-Length": "1", "Transfer-Encoding": "chunked" } },
])("a body that declares $what is counted", async ({ headers }) => {
  const { response, canceled } = bodyOf(["x".repeat(10)]);
  const declaring = new Response(response.body, { headers });
  expect(await readBoundedText(declaring, LIMIT)).toEqual({ status: "too long", text: "x".repeat(9) });
  expect(canceled()).toBe(true);
});

test("a body of declared length whose connection breaks is aborted", async () => {
  const { body } = bodyOf(["x"], "breaks off").response;
  const declaring = new Response(body, { headers: { "Content-Length": "9" } });
  expect(await readBoundedText(declaring, LIMIT)).toEqual({ status: "aborted" });
});

test("a body whose connection breaks is aborted", async () => {
  const { response } = bodyOf(["x"], "breaks off");
  expect(await readBoundedText(response, LIMIT)).toEqual({ status: "aborted" });
});

describe("a deadline", () => {
  const TEN_SECONDS = { ...LIMIT, milliseconds: 10_000 };
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
  afterEach(() => void vi.useRealTimers());

  test("ends the reading of a body that stalls, and cancels it", async () => {
    const { response, canceled } = bodyOf(["a=1"], "stalls");
    const reading = readBoundedBytes(response, TEN_SECONDS);
    await vi.advanceTimersByTimeAsync(9_999);
    expect(canceled(), "canceled before the deadline").toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(await reading).toEqual({ status: "too slow" });
    expect(canceled(), "canceled at the deadline").toBe(true);
  });

  test("ends the reading of a body of declared length that stalls", async () => {
    const { body } = bodyOf(["a=1"], "stalls").response;
    const reading = readBoundedBytes(new Response(body, { headers: { "Content-Length": "9" } }), TEN_SECONDS);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await reading).toEqual({ status: "too slow" });
  });

  test("leaves no timer behind a body that was read in time", async () => {
    expect(await readBoundedBytes(bodyOf(["a=1"]).response, TEN_SECONDS)).toMatchObject({ status: "read" });
    expect(vi.getTimerCount()).toBe(0);
  });
});
