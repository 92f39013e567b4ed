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
const DECLARED = { declared: true };

type Ending = Parameters<typeof bodyOf>[1];

/** Reads pieces of a body, whose length is declared or not. */
function read(pieces: string[], { type = URL_ENCODED, declared = false, end = "ends" as Ending } = {}) {
  const headers = { "Content-Type": type, ...(declared && { "Content-Length": String(pieces.join("").length) }) };
  const init = { method: "POST", headers, body: bodyOf(pieces, end).response.body, duplex: "half" };
  return (options = {}) => readForm(new Request("https://www.example/", init), options);
}

const multipart = (body: string) => read([body], { type: "multipart/form-data; boundary=b" });
const part = (name: string, value: string, more = "") =>
  `--b\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`;
const END = "--b--\r\n";
const many = Array.from({ length: 5 }, (_, nth) => `x${nth}=${x(4096)}`).join("&");
const endless = ["email=a&city=", ...Array.from({ length: 5 }, () => x(64 * KIB)), "&country=b"];
const long = `email=a&city=${x(20_000)}&country=b`;
const cut = { email: "a", city: x(4096 - 5) };

test.each<[string, ReturnType<typeof read>, fields: object, status?: number]>([
  ["known fields only, of which each is there once", read(["city=1&c=2&c=3&state="]), { city: "1", state: "" }],
  ["a field twice", read(["city=&state=2&city=1"]), {}, 400],
  ["32 fields", read([`city=1${"&x".repeat(31)}`]), { city: "1" }],
  ["33 fields", read([`city=1${"&x".repeat(32)}`]), {}, 400],
  ["a body that breaks off", read(["city=1"], { end: "breaks off" }), {}, 400],
  ["names of a prototype", read(["city=1&__proto__.x=1&__proto__[x]=1&__proto__=1&city[0]=1"]), { city: "1" }],
  ["16 KiB", read([`city=${x(16 * KIB - 5)}`]), { city: x(16 * KIB - 5) }],
  ["a byte more", read([`city=${x(16 * KIB - 4)}`]), { city: x(16 * KIB - 5) }, 413],
  ["a long field, declared", read([long.slice(0, 5_000), long.slice(5_000)], DECLARED), { ...cut, country: "b" }, 413],
  ["many long fields, declared", read([`email=a&${many}&city=b`], DECLARED), { email: "a" }, 413],
  ["more than 256 KiB, declared", read(endless, DECLARED), cut, 413],
  ["multipart", multipart(part("city", "é&=+%41\r\n2") + part("c", "3") + END), { city: "é&=+%41\r\n2" }],
  ["multipart with a field twice", multipart(part("city", "1") + part("city", "1") + END), {}, 400],
  ["multipart with 32 fields", multipart(part("city", "1") + part("x", "").repeat(31) + END), { city: "1" }],
  ["multipart with 33 fields", multipart(part("city", "1") + part("x", "").repeat(32) + END), {}, 400],
  ["multipart over 16 KiB", multipart(part("city", x(16 * KIB)) + END), {}, 413],
  ["a file in an unknown field", multipart(part("c", "1", '; filename="a.txt"') + END), {}, 415],
  ["multipart that is cut", multipart(part("city", "1").slice(0, 30)), {}, 400],
])("a body is read as far as it can be: %s", async (_, reading, fields, status) => {
  const { fields: found, problem } = await reading();
  expect([Object.entries(found), problem?.status]).toEqual([Object.entries(fields), status]);
  if (status === 413) expect(problem).toBe(BODY_TOO_LARGE);
  expect([Object.prototype, vi.getTimerCount()]).toEqual([expect.not.objectContaining({ x: "1" }), 0]);
});

test.each<[string, body: string, declared: boolean, options: object, milliseconds: number, status: number]>([
  ["10 seconds", "city=x", false, {}, 10_000, 408],
  ["2 seconds if it is too large", `city=${x(17 * KIB)}`, true, {}, 2_000, 413],
  ["2 seconds if its form is refused anyway", "city=x", false, { isRefused: true }, 2_000, 408],
])("a body that never ends is waited for %s", async (_, body, declared, options, milliseconds, status) => {
  const settled = vi.fn();
  const work = read([body], { declared, end: "stalls" })(options).then(({ problem }) => settled(problem?.status));
  await vi.advanceTimersByTimeAsync(milliseconds - 1);
  expect(settled).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  await work;
  expect(settled).toHaveBeenCalledWith(status);
});
