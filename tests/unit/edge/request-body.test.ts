import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { checkFormHeaders, readBoundedText, readForm } from "../../../app/edge/guard/request-body.server";
import { readBytes, readText } from "../../../functions/subscription-api/bounded-body";

const KIB = 1024;
const URL_OF_FORM = "https://www.example/subscription";

/** A body that gives these parts, then ends, breaks off, or goes on without end; and how many parts were taken. */
function bodyOf(parts: (string | Uint8Array)[], then: "ends" | "breaks off" | "stalls" | "goes on" = "ends") {
  let taken = 0;
  let cancelled = false;
  const encoder = new TextEncoder();
  const body = new ReadableStream({
    type: "bytes",
    async pull(controller) {
      const part = parts[taken] ?? (then === "goes on" ? parts.at(-1) : undefined);
      taken += 1;
      if (part !== undefined) controller.enqueue(typeof part === "string" ? encoder.encode(part) : part.slice());
      else if (then === "breaks off") controller.error(new Error("reset"));
      else if (then === "stalls") return new Promise<void>(() => {});
      else {
        controller.close();
        controller.byobRequest?.respond(0);
      }
    },
    cancel() {
      cancelled = true;
    },
  });
  return { response: new Response(body), taken: () => taken, cancelled: () => cancelled };
}

const post = (body: ReadableStream | string | null, headers: Record<string, string> = {}) =>
  new Request(URL_OF_FORM, { method: "POST", body, headers, ...(body !== null && { duplex: "half" }) });

describe("a body that is read to a limit", () => {
  test.each([0, 1, 4095, 4096, 4097, 16 * KIB])(
    "of %i bytes is read when it has as many, not with one more [H2]",
    async (bytes) => {
      const text = "x".repeat(bytes);
      expect(await readBoundedText(bodyOf(bytes === 0 ? [] : [text]).response, { bytes })).toEqual({
        status: "read",
        text,
      });
      expect(await readBoundedText(bodyOf([`${text}y`]).response, { bytes })).toEqual({ status: "too long" });
      expect(await readText(bodyOf(bytes === 0 ? [] : [text]).response, bytes)).toBe(text);
      expect(await readText(bodyOf([`${text}y`]).response, bytes)).toBeUndefined();
    },
  );

  test("is left alone beyond it [H2]", async () => {
    const part = "x".repeat(KIB);
    for (const read of [
      (response: Response) => readBoundedText(response, { bytes: 8 * KIB }),
      (response: Response) => readBytes(response, { bytes: 8 * KIB }),
    ]) {
      const { response, taken, cancelled } = bodyOf([part], "goes on");
      expect(await read(response)).toEqual({ status: "too long" });
      expect(taken()).toBeLessThan(12);
      expect(cancelled()).toBe(true);
    }
  });

  test("is taken to one byte beyond a short limit, and no further [H2]", async () => {
    const { response, taken } = bodyOf(["x"], "goes on");
    expect(await readBoundedText(response, { bytes: 3 })).toEqual({ status: "too long" });
    expect(taken()).toBeLessThan(7);
  });

  test("is one text, wherever it was cut into parts", async () => {
    const text = "ä€😀".repeat(3_000);
    const bytes = new TextEncoder().encode(text);
    for (const size of [1_000, 1_001, 4_095, 4_097]) {
      const parts = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
        bytes.slice(at * size, (at + 1) * size),
      );
      expect(await readBoundedText(bodyOf(parts).response, { bytes: 64 * KIB })).toEqual({ status: "read", text });
      expect(await readText(bodyOf(parts).response, 64 * KIB)).toBe(text);
    }
    expect(await readBoundedText(bodyOf([bytes.slice(0, 4)]).response, { bytes: KIB })).toEqual({
      status: "read",
      text: "ä\ufffd",
    });
  });

  test("that there is not, is empty", async () => {
    expect(await readBoundedText(new Response(null), { bytes: KIB })).toEqual({ status: "read", text: "" });
    expect(await readText(new Response(null), KIB)).toBe("");
  });

  test("that breaks off is told from one that has ended", async () => {
    expect(await readBoundedText(bodyOf(["x"], "breaks off").response, { bytes: KIB })).toEqual({ status: "aborted" });
    expect(await readBytes(bodyOf(["x"], "breaks off").response, { bytes: KIB })).toEqual({ status: "aborted" });
    expect(await readText(bodyOf(["x"], "breaks off").response, KIB)).toBeUndefined();
  });
});

describe("a form's body", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const read = (body: ReadableStream | string | null) => readForm(post(body), ["a", "b"]);
  const refused = (status: number) => expect.objectContaining({ refusal: expect.objectContaining({ status }) });

  test("is given up after ten seconds, and not before [B3]", async () => {
    let answer: unknown;
    const { response } = bodyOf(["a=1"], "stalls");
    const reading = read(response.body).then((result) => {
      answer = result;
    });
    await vi.advanceTimersByTimeAsync(9_999);
    expect(answer).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1);
    await reading;
    expect(answer).toEqual(refused(408));
  });

  test("is waited for where no time is given", async () => {
    const { response } = bodyOf(["a=1"], "stalls");
    const reading = readBoundedText(response, { bytes: KIB });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await Promise.race([reading, Promise.resolve("not yet")])).toBe("not yet");
  });

  test("is given up by the API after the time that it has, and not read on [H2]", async () => {
    const { response, cancelled } = bodyOf(["a=1"], "stalls");
    const reading = readBytes(response, { bytes: KIB, milliseconds: 10_000 });
    const first = () => Promise.race([reading, Promise.resolve("not yet")]);
    await vi.advanceTimersByTimeAsync(9_999);
    expect(await first()).toBe("not yet");
    await vi.advanceTimersByTimeAsync(1);
    expect(await reading).toEqual({ status: "too slow" });
    expect(cancelled()).toBe(true);

    const whole = bodyOf(["a=1"]);
    expect(await readBytes(whole.response, { bytes: KIB, milliseconds: 10_000 })).toMatchObject({ status: "read" });
    expect([whole.cancelled(), vi.getTimerCount()]).toEqual([false, 0]);
  });

  test("that was read leaves no timer behind", async () => {
    expect(await read("a=1")).toEqual({ form: { a: "1" } });
    expect(vi.getTimerCount()).toBe(0);
  });

  test("has the fields that are known, each once, and 32 in all [B4] [B6]", async () => {
    expect(await read(null)).toEqual({ form: {} });
    expect(await read("a=1&c=2&c=3&b=")).toEqual({ form: { a: "1", b: "" } });
    expect(await read("a=1&b=2&a=1")).toEqual(refused(400));
    expect(await read("a=&a=1")).toEqual(refused(400));
    expect(await read(`a=1${"&x".repeat(31)}`)).toEqual({ form: { a: "1" } });
    expect(await read(`a=1${"&x".repeat(32)}`)).toEqual(refused(400));
    expect(await read(bodyOf(["a=1"], "breaks off").response.body)).toEqual(refused(400));
    expect(await read(bodyOf([`a=${"x".repeat(16 * KIB - 2)}`]).response.body)).toEqual({
      form: { a: "x".repeat(16 * KIB - 2) },
    });
    expect(await read(bodyOf([`a=${"x".repeat(16 * KIB - 1)}`]).response.body)).toEqual(refused(413));
  });

  test.each([
    ["application/x-www-form-urlencoded", undefined],
    ["Application/X-WWW-Form-URLencoded ; charset=utf-8", undefined],
    ["application/x-www-form-urlencodedx", 415],
    ["text/plain; application/x-www-form-urlencoded", 415],
    ["multipart/form-data", 415],
  ])("is asked for its type: %s [B1]", (type, status) => {
    expect(checkFormHeaders(post("", { "Content-Type": type }))?.status).toBe(status);
  });

  test("is refused unread when it says that it is too long [B3]", () => {
    const saying = (length: string) =>
      checkFormHeaders(post("", { "Content-Type": "application/x-www-form-urlencoded", "Content-Length": length }));
    expect(saying("16384")).toBeUndefined();
    expect(saying("16385")?.status).toBe(413);
    expect(checkFormHeaders(new Request(URL_OF_FORM))?.status).toBe(415);
  });
});
