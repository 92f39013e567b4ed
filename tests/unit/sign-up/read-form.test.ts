import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { BODY_TOO_LARGE } from "../../../app/pipeline/guard/refusals.server";
import { readForm } from "../../../app/signup/server/posted-form.server";
import { bodyOf } from "../../support/site-in-process/body-of";

/* What is read of a posted body, and why not all of it. */

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

const KIB = 1024;
const x = (length: number) => "x".repeat(length);
const URL_ENCODED = "application/x-www-form-urlencoded";

type Ending = Parameters<typeof bodyOf>[1];

/** Reads pieces of a body. */
function read(pieces: string[], { type = URL_ENCODED, end = "ends" as Ending } = {}) {
  const init = {
    method: "POST",
    headers: { "Content-Type": type },
    body: bodyOf(pieces, end).response.body,
    duplex: "half",
  };
  return () => readForm(new Request("https://www.example/", init));
}

const multipart = (body: string) => read([body], { type: "multipart/form-data; boundary=b" });
const part = (name: string, value: string, more = "") =>
  `--b\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`;
const END = "--b--\r\n";
const long = (length: number) => `email=a&state=${x(256)}&city=${x(length)}&country=b`;
const short = { email: "a", state: x(256) };

test.each<[string, ReturnType<typeof read>, fields: object, status?: number]>([
  ["known fields only, of which each is there once", read(["city=1&c=2&c=3&state="]), { city: "1", state: "" }],
  ["a field twice", read(["city=&state=2&city=1"]), {}, 400],
  ["32 fields", read([`city=1${"&x".repeat(31)}`]), { city: "1" }],
  ["33 fields", read([`city=1${"&x".repeat(32)}`]), {}, 400],
  ["a body that breaks off", read(["city=1"], { end: "breaks off" }), {}, 400],
  ["names of a prototype", read(["city=1&__proto__.x=1&__proto__[x]=1&__proto__=1&city[0]=1"]), { city: "1" }],
  ["16 KiB", read([`city=${x(16 * KIB - 5)}`]), { city: x(16 * KIB - 5) }],
  ["a byte more", read([`city=${x(16 * KIB - 4)}`]), {}, 413],
  ["a long field", read([long(20_000).slice(0, 5_000), long(20_000).slice(5_000)]), { ...short, country: "b" }, 413],
  ["a field of 257 characters", read([`city=${x(257)}&country=b&more=${x(16 * KIB)}`]), { country: "b" }, 413],
  ["more than 256 KiB", read([long(256 * KIB)]), short, 413],
  ["multipart", multipart(part("city", "é&=+%41\r\n2") + part("c", "3") + END), { city: "é&=+%41\r\n2" }],
  ["multipart with a field twice", multipart(part("city", "1") + part("city", "1") + END), {}, 400],
  ["multipart with 32 fields", multipart(part("city", "1") + part("x", "").repeat(31) + END), { city: "1" }],
  ["multipart with 33 fields", multipart(part("city", "1") + part("x", "").repeat(32) + END), {}, 400],
  ["multipart over 16 KiB", multipart(part("city", x(16 * KIB)) + part("country", "US") + END), { country: "US" }, 413],
  ["a file in an unknown field", multipart(part("c", "1", '; filename="a.txt"') + END), {}, 415],
  ["multipart that is cut", multipart(part("city", "1").slice(0, 30)), {}, 400],
])("a body is read as far as it can be: %s", async (_, reading, fields, status) => {
  const { fields: found, problem } = await reading();
  expect([Object.entries(found), problem?.status]).toEqual([Object.entries(fields), status]);
  if (status === 413) expect(problem).toBe(BODY_TOO_LARGE);
  expect([Object.prototype, vi.getTimerCount()]).toEqual([expect.not.objectContaining({ x: "1" }), 0]);
});

test("a body that never ends is waited for ten seconds", async () => {
  const settled = vi.fn();
  const work = read(["city=x"], { end: "stalls" })().then(({ problem }) => settled(problem?.status));
  await vi.advanceTimersByTimeAsync(9_999);
  expect(settled).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  await work;
  expect(settled).toHaveBeenCalledWith(408);
});
