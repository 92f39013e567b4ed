import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { BODY_TOO_LARGE } from "../../../app/pipeline/guard/refusals.server";
import { readForm } from "../../../app/signup/server/posted-form.server";
import { bodyOf } from "../../support/site-in-process/body-of";

const KIB = 1024;
const URL_OF_FORM = "https://www.example/subscription";

const post = (body: ReadableStream | string | null, headers: Record<string, string> = {}) =>
  new Request(URL_OF_FORM, { method: "POST", body, headers, ...(body !== null && { duplex: "half" }) });

describe("a form body", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const read = (body: ReadableStream | string | null) => readForm(post(body));
  const refused = (status: number) => expect.objectContaining({ problem: expect.objectContaining({ status }) });

  test("times out after ten seconds, not earlier", async () => {
    let answer: unknown;
    const { response } = bodyOf(["city=1"], "stalls");
    const reading = read(response.body).then((result) => {
      answer = result;
    });
    await vi.advanceTimersByTimeAsync(9_999);
    expect(answer).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1);
    await reading;
    expect(answer).toEqual(refused(408));
  });

  test("leaves no timer running once it is read", async () => {
    expect(await read("city=1")).toEqual({ fields: { city: "1" } });
    expect(vi.getTimerCount()).toBe(0);
  });

  test("contains known fields only, each once, 32 at most", async () => {
    expect(await read(null)).toEqual({ fields: {} });
    expect(await read("city=1&c=2&c=3&state=")).toEqual({ fields: { city: "1", state: "" } });
    expect(await read("city=1&state=2&city=1")).toEqual(refused(400));
    expect(await read("city=&city=1")).toEqual(refused(400));
    expect(await read(`city=1${"&x".repeat(31)}`)).toEqual({ fields: { city: "1" } });
    expect(await read(`city=1${"&x".repeat(32)}`)).toEqual(refused(400));
    expect(await read(bodyOf(["city=1"], "breaks off").response.body)).toEqual(refused(400));
    expect(await read(bodyOf([`city=${"x".repeat(16 * KIB - 5)}`]).response.body)).toEqual({
      fields: { city: "x".repeat(16 * KIB - 5) },
    });
    expect(await read(bodyOf([`city=${"x".repeat(16 * KIB - 4)}`]).response.body)).toEqual(refused(413));
  });

  test.each([
    "__proto__.x=1",
    "__proto__[x]=1",
    "__proto__=1",
    "constructor.prototype.x=1",
    "city.__proto__.x=1",
    "city[0]=1",
  ])("drops unknown fields and pollutes no prototype: %s", async (more) => {
    const { fields } = await read(`city=1&${more}`);
    expect(Object.entries(fields)).toEqual([["city", "1"]]);
    expect(Object.prototype).not.toHaveProperty("x");
  });

  const part = (name: string, value: string, more = "") =>
    `--b\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`;
  const multipart = (parts: string, type = "multipart/form-data; boundary=b") =>
    readForm(post(bodyOf([parts]).response.body, { "Content-Type": type }));

  test("may be multipart, within the same limits", async () => {
    const end = "--b--\r\n";
    expect(await multipart(part("city", "é&=+%41\r\n2") + part("c", "3") + part("c", "4") + end)).toEqual({
      fields: { city: "é&=+%41\r\n2" },
    });
    expect(await multipart(part("city", "1") + part("city", "1") + end)).toEqual(refused(400));
    expect(await multipart(part("city", "1") + part("x", "").repeat(31) + end)).toEqual({ fields: { city: "1" } });
    expect(await multipart(part("city", "1") + part("x", "").repeat(32) + end)).toEqual(refused(400));
    expect(await multipart(part("city", "x".repeat(16 * KIB)) + end)).toEqual(refused(413));
  });

  test.each([
    ["a file", part("city", "1", '; filename="a.txt"'), 415],
    ["an empty file", part("city", "", '; filename=""'), 415],
    ["a file in an unknown field", part("c", "1", '; filename="a.txt"'), 415],
  ])("containing %s is refused", async (_, parts, status) => {
    expect(await multipart(`${parts}--b--\r\n`)).toEqual(refused(status));
  });

  test("that is multipart but truncated, empty or without a boundary is refused", async () => {
    expect(await multipart(part("city", "1").slice(0, 30))).toEqual(refused(400));
    expect(await multipart("")).toEqual(refused(400));
    expect(await multipart(`${part("city", "1")}--b--`, "multipart/form-data")).toEqual(refused(400));
    expect(await multipart(`${part("city", "1")}--b--`, "multipart/form-data; boundary=c")).toEqual(refused(400));
  });

  describe("a form body over the limit", () => {
    const type = { "Content-Type": "application/x-www-form-urlencoded" };
    const readDeclared = (body: string, chunks = [body]) => {
      const headers = { ...type, "Content-Length": String(body.length) };
      return readForm(post(bodyOf(chunks).response.body, headers));
    };

    test("with its Content-Length keeps the start of a long field and all fields after it", async () => {
      const city = "x".repeat(20_000);
      const body = `email=a&city=${city}&country=b`;
      const fields = { email: "a", city: "x".repeat(4096 - 5), country: "b" };
      const chunks = [body.slice(0, 5_000), body.slice(5_000, 19_000), body.slice(19_000)];
      for (const sent of [undefined, chunks]) {
        expect(await readDeclared(body, sent)).toEqual({ problem: BODY_TOO_LARGE, fields });
      }
    });

    test("with its Content-Length keeps 16 KB of shortened fields from its first 256 KB", async () => {
      const long = "x".repeat(4096);
      const many = Array.from({ length: 5 }, (_, nth) => `x${nth}=${long}`).join("&");
      expect(await readDeclared(`email=a&${many}&city=b`)).toEqual({ problem: BODY_TOO_LARGE, fields: { email: "a" } });
      const chunk = "x".repeat(64 * KIB);
      const chunks = ["email=a&city=", chunk, chunk, chunk, chunk, chunk, "&country=b"];
      const fields = { email: "a", city: "x".repeat(4096 - 5) };
      expect(await readDeclared(chunks.join(""), chunks)).toEqual({ problem: BODY_TOO_LARGE, fields });
    });

    test("without a Content-Length keeps its first 16 KB", async () => {
      const body = `email=a&city=${"x".repeat(20_000)}&country=lost`;
      const fields = { email: "a", city: "x".repeat(16_384 - 13) };
      expect(await readForm(post(body, type))).toEqual({ problem: BODY_TOO_LARGE, fields });
    });

    test("by Content-Length alone is refused even if the body is short", async () => {
      const read = await readForm(post("email=a", { ...type, "Content-Length": "16385" }));
      expect(read).toEqual({ problem: BODY_TOO_LARGE, fields: { email: "a" } });
    });
  });
});
