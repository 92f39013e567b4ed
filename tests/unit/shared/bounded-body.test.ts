import { expect, onTestFinished, test, vi } from "vitest";
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

test("a missing body is empty, and a body is read as bytes too", async () => {
  expect(await readBoundedText(new Response(null), LIMIT)).toEqual({ status: "read", text: "" });
  expect(await readBoundedBytes(bodyOf(splitCharacters).response, LIMIT)).toEqual({ status: "read", bytes });
});

test.each<{ what: string; headers?: Record<string, string>; isEndless?: true }>([
  { what: "without an end", isEndless: true },
  { what: "that declares more than the limit", headers: { "Content-Length": "10" } },
  { what: "that declares nothing", headers: { "Content-Length": "" } },
  { what: "that declares its compressed length", headers: { "Content-Length": "1", "Content-Encoding": "gzip" } },
  { what: "whose chunks override its length", headers: { "Content-Length": "1", "Transfer-Encoding": "chunked" } },
])("of a body $what that is too long, the first 9 bytes are given and the rest is canceled", async (row) => {
  const { response, taken, canceled } = row.isEndless ? bodyOf(["xxxx"], "goes on") : bodyOf(["x".repeat(10)]);
  const declaring = new Response(response.body, { headers: row.headers ?? {} });
  expect(await readBoundedText(declaring, LIMIT)).toEqual({ status: "too long", text: "x".repeat(9) });
  expect(canceled()).toBe(true);
  expect(taken(), "parts read").toBeLessThan(6);
});

const DECLARED = { headers: { "Content-Length": "9" } };

test.each([
  { what: "of declared length", init: DECLARED },
  { what: "without a length", init: {} },
])("a body $what whose connection breaks is aborted", async ({ init }) => {
  const { body } = bodyOf(["x"], "breaks off").response;
  expect(await readBoundedText(new Response(body, init), LIMIT)).toEqual({ status: "aborted" });
});

const TEN_SECONDS = { ...LIMIT, milliseconds: 10_000 };

test.each([
  { what: "of declared length", init: DECLARED, isCanceled: false },
  { what: "without a length", init: {}, isCanceled: true },
])("a body $what that stalls is too slow at the deadline, and then canceled: $isCanceled", async (row) => {
  onTestFinished(() => void vi.useRealTimers());
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  expect(await readBoundedBytes(bodyOf(["a=1"]).response, TEN_SECONDS)).toMatchObject({ status: "read" });
  expect(vi.getTimerCount(), "timers behind a body that was read in time").toBe(0);

  const { response, canceled } = bodyOf(["a=1"], "stalls");
  const ended = vi.fn();
  const reading = readBoundedBytes(new Response(response.body, row.init), TEN_SECONDS).finally(ended);
  await vi.advanceTimersByTimeAsync(9_999);
  expect([ended.mock.calls.length, canceled()], "before the deadline").toEqual([0, false]);
  await vi.advanceTimersByTimeAsync(1);
  expect(await reading).toEqual({ status: "too slow" });
  expect(canceled()).toBe(row.isCanceled);
});
