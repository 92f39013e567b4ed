import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { readBoundedBytes, readBoundedText } from "../../../app/shared/bounded-body";
import { bodyOf } from "../../support/site-in-process/body-of";

const KIB = 1024;

describe("a body read with a limit", () => {
  test.each([0, 1, 4095, 4096, 4097, 16 * KIB])(
    "of %i bytes is read when it has as many, not with one more [H2]",
    async (bytes) => {
      const text = "x".repeat(bytes);
      expect(await readBoundedText(bodyOf(bytes === 0 ? [] : [text]).response, { bytes })).toEqual({
        status: "read",
        text,
      });
      expect(await readBoundedText(bodyOf([`${text}y`]).response, { bytes })).toEqual({ status: "too long", text });
    },
  );

  test("is not read further when it exceeds the limit [H2]", async () => {
    const part = "x".repeat(KIB);
    const { response, taken, canceled } = bodyOf([part], "goes on");
    expect(await readBoundedText(response, { bytes: 8 * KIB })).toEqual({
      status: "too long",
      text: "x".repeat(8 * KIB),
    });
    expect(taken()).toBeLessThan(12);
    expect(canceled()).toBe(true);
  });

  test("is read up to one byte over a short limit [H2]", async () => {
    const { response, taken } = bodyOf(["x"], "goes on");
    expect(await readBoundedText(response, { bytes: 3 })).toEqual({ status: "too long", text: "xxx" });
    expect(taken()).toBeLessThan(7);
  });

  test("is decoded as one text, wherever its chunks were split", async () => {
    const text = "ä€😀".repeat(3_000);
    const bytes = new TextEncoder().encode(text);
    for (const size of [1_000, 1_001, 4_095, 4_097]) {
      const parts = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
        bytes.slice(at * size, (at + 1) * size),
      );
      expect(await readBoundedText(bodyOf(parts).response, { bytes: 64 * KIB })).toEqual({ status: "read", text });
      expect(await readBoundedBytes(bodyOf(parts).response, { bytes: 64 * KIB })).toEqual({ status: "read", bytes });
    }
    expect(await readBoundedText(bodyOf([bytes.slice(0, 4)]).response, { bytes: KIB })).toEqual({
      status: "read",
      text: "ä\ufffd",
    });
  });

  test("is empty text when it is missing", async () => {
    expect(await readBoundedText(new Response(null), { bytes: KIB })).toEqual({ status: "read", text: "" });
  });

  test("throws when the connection breaks", async () => {
    expect(await readBoundedText(bodyOf(["x"], "breaks off").response, { bytes: KIB })).toEqual({ status: "aborted" });
  });
});

describe("the time limit for a body", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test("does not exist unless one is given", async () => {
    const { response } = bodyOf(["a=1"], "stalls");
    const reading = readBoundedText(response, { bytes: KIB });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await Promise.race([reading, Promise.resolve("not yet")])).toBe("not yet");
  });

  test("stops reading and cancels the body [H2]", async () => {
    const { response, canceled } = bodyOf(["a=1"], "stalls");
    const reading = readBoundedBytes(response, { bytes: KIB, milliseconds: 10_000 });
    const first = () => Promise.race([reading, Promise.resolve("not yet")]);
    await vi.advanceTimersByTimeAsync(9_999);
    expect(await first()).toBe("not yet");
    await vi.advanceTimersByTimeAsync(1);
    expect(await reading).toEqual({ status: "too slow" });
    expect(canceled()).toBe(true);

    const whole = bodyOf(["a=1"]);
    expect(await readBoundedBytes(whole.response, { bytes: KIB, milliseconds: 10_000 })).toMatchObject({
      status: "read",
    });
    expect([whole.canceled(), vi.getTimerCount()]).toEqual([false, 0]);
  });
});
