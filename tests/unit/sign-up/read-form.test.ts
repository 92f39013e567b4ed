import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { readForm } from "../../../app/signup/server/form/posted-form.server";
import { bodyOf } from "../../support/site-in-process/body-of";

/* The parts of a posted body that are read, and the reasons to refuse one. */

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

interface Row {
  name: string;
  reading: ReturnType<typeof read>;
  fields: object;
}

test.each<Row>([
  {
    name: "known fields only, of which each is there once",
    reading: read(["city=1&c=2&c=3&state="]),
    fields: { city: "1", state: "" },
  },
  { name: "32 fields", reading: read([`city=1${"&x".repeat(31)}`]), fields: { city: "1" } },
  {
    name: "names of a prototype",
    reading: read(["city=1&__proto__.x=1&__proto__[x]=1&__proto__=1&city[0]=1"]),
    fields: { city: "1" },
  },
  { name: "16 KiB", reading: read([`city=${x(16 * KIB - 5)}`]), fields: { city: x(16 * KIB - 5) } },
  {
    name: "multipart",
    reading: multipart(part("city", "é&=+%41\r\n2") + part("c", "3") + END),
    fields: { city: "é&=+%41\r\n2" },
  },
  {
    name: "multipart with 32 fields",
    reading: multipart(part("city", "1") + part("x", "").repeat(31) + END),
    fields: { city: "1" },
  },
])("a body is read whole, but only its known fields: $name", async ({ reading, fields }) => {
  expect(await reading()).toEqual({ fields });
});

test.each<Row & { status: number }>([
  { name: "a field twice", reading: read(["city=&state=2&city=1"]), fields: {}, status: 400 },
  { name: "33 fields", reading: read([`city=1${"&x".repeat(32)}`]), fields: {}, status: 400 },
  { name: "a body that breaks off", reading: read(["city=1"], { end: "breaks off" }), fields: {}, status: 400 },
  { name: "a byte more", reading: read([`city=${x(16 * KIB - 4)}`]), fields: {}, status: 413 },
  {
    name: "a long field",
    reading: read([long(20_000).slice(0, 5_000), long(20_000).slice(5_000)]),
    fields: { ...short, country: "b" },
    status: 413,
  },
  {
    name: "a field of 257 characters",
    reading: read([`city=${x(257)}&country=b&more=${x(16 * KIB)}`]),
    fields: { country: "b" },
    status: 413,
  },
  { name: "more than 256 KiB", reading: read([long(256 * KIB)]), fields: short, status: 413 },
  {
    name: "multipart with a field twice",
    reading: multipart(part("city", "1") + part("city", "1") + END),
    fields: {},
    status: 400,
  },
  {
    name: "multipart with 33 fields",
    reading: multipart(part("city", "1") + part("x", "").repeat(32) + END),
    fields: {},
    status: 400,
  },
  {
    name: "multipart over 16 KiB",
    reading: multipart(part("city", x(16 * KIB)) + part("country", "US") + END),
    fields: { country: "US" },
    status: 413,
  },
  {
    name: "a file in an unknown field",
    reading: multipart(part("c", "1", '; filename="a.txt"') + END),
    fields: {},
    status: 415,
  },
  { name: "multipart that is cut", reading: multipart(part("city", "1").slice(0, 30)), fields: {}, status: 400 },
])("a body is refused with $status, and with the fields that it is returned with: $name", async (row) => {
  const { fields, problem } = await row.reading();
  expect(problem?.status).toBe(row.status);
  expect(fields).toEqual(row.fields);
});

test("a body that is read leaves no timer and no prototype changed", async () => {
  await read(["__proto__.x=1&__proto__[x]=1&__proto__=1"])();
  expect(vi.getTimerCount()).toBe(0);
  expect({}).not.toHaveProperty("x");
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
