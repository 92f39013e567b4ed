import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import * as z from "zod/mini";
import { readBoundedBytes, readBoundedText } from "../../../app/shared/bounded-body";
import { describeError } from "../../../app/shared/describe-error";
import { networkKeyOf, rateLimitKeyOf } from "../../../app/shared/limits/rate-limit-key";
import { isLoopback, isLoopbackHost, problemsOf, serviceUrl } from "../../../app/shared/settings";
import { bodyOf } from "../../support/site-in-process/body-of";

const KIB = 1024;
const TYPED = "ada@example.com";

describe("a body read with a limit", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
  afterEach(() => void vi.useRealTimers());

  test.each([0, 1, 4095, 4096, 4097, 16 * KIB])(
    "of %i bytes is read when it has as many, not with one more",
    async (bytes) => {
      const text = "x".repeat(bytes);
      expect(await readBoundedText(bodyOf(text ? [text] : []).response, { bytes })).toEqual({ status: "read", text });
      expect(await readBoundedText(bodyOf([`${text}y`]).response, { bytes })).toEqual({ status: "too long", text });
    },
  );

  test("is not read further once it exceeds the limit", async () => {
    const { response, taken, canceled } = bodyOf(["x".repeat(KIB)], "goes on");
    const read = await readBoundedText(response, { bytes: 8 * KIB });
    expect(read).toEqual({ status: "too long", text: "x".repeat(8 * KIB) });
    expect([taken() < 12, canceled()]).toEqual([true, true]);
  });

  test("is decoded as one text, wherever its chunks were split", async () => {
    const text = "ä€😀".repeat(3_000);
    const bytes = new TextEncoder().encode(text);
    for (const size of [1_000, 1_001, 4_095, 4_097]) {
      const count = Math.ceil(bytes.length / size);
      const parts = Array.from({ length: count }, (_, at) => bytes.slice(at * size, (at + 1) * size));
      expect(await readBoundedText(bodyOf(parts).response, { bytes: 64 * KIB })).toEqual({ status: "read", text });
      expect(await readBoundedBytes(bodyOf(parts).response, { bytes: 64 * KIB })).toEqual({ status: "read", bytes });
    }
    const cut = await readBoundedText(bodyOf([bytes.slice(0, 4)]).response, { bytes: KIB });
    expect(cut).toEqual({ status: "read", text: "ä\ufffd" });
  });

  test("is empty where it is missing, and aborted where the connection breaks", async () => {
    expect(await readBoundedText(new Response(null), { bytes: KIB })).toEqual({ status: "read", text: "" });
    expect(await readBoundedText(bodyOf(["x"], "breaks off").response, { bytes: KIB })).toEqual({ status: "aborted" });
  });

  test("is given up and canceled at its deadline, if it has one", async () => {
    const { response, canceled } = bodyOf(["a=1"], "stalls");
    const reading = readBoundedBytes(response, { bytes: KIB, milliseconds: 10_000 });
    const unbounded = readBoundedText(bodyOf(["a=1"], "stalls").response, { bytes: KIB });
    const first = (read: Promise<unknown>) => Promise.race([read, Promise.resolve("not yet")]);
    await vi.advanceTimersByTimeAsync(9_999);
    expect(await first(reading)).toBe("not yet");
    await vi.advanceTimersByTimeAsync(1);
    expect([await reading, canceled()]).toEqual([{ status: "too slow" }, true]);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await first(unbounded)).toBe("not yet");
    const whole = bodyOf(["a=1"]);
    expect(await readBoundedBytes(whole.response, { bytes: KIB, milliseconds: 10_000 })).toMatchObject({
      status: "read",
    });
    expect([whole.canceled(), vi.getTimerCount()]).toEqual([false, 0]);
  });
});

describe("an error in the log", () => {
  test("has its name, its cause's name and its stack, but not its message", () => {
    const described = describeError(new TypeError(`No ${TYPED}`, { cause: new RangeError(TYPED) }));
    expect(described).toEqual({ error: "TypeError", cause: "RangeError", stack: expect.any(Array) });
    expect(JSON.stringify(described)).not.toContain(TYPED);
  });

  test.each([
    `No ${TYPED}\nand more of ${TYPED}`,
    `No\n    at ${TYPED}\n    at ${TYPED} (typed.js:1:2)`,
    `No\n\n\n    at (${TYPED}:1:2)\n`,
    `$& ${TYPED}`,
  ])("has no line of the message %j in its stack", (message) => {
    const changed = Object.assign(new Error(message), { message: "Another message" });
    for (const error of [new Error(message), changed]) {
      const { stack = [] } = describeError(error);
      expect(stack[0]).toMatch(/shared\.test\.ts/);
      expect(stack.join()).not.toContain(TYPED);
    }
  });

  test("may have no stack, or be no error at all", () => {
    const error = new Error(TYPED, { cause: TYPED });
    Reflect.deleteProperty(error, "stack");
    expect([describeError(error), describeError(TYPED)]).toEqual([{ error: "Error", stack: [] }, { error: "string" }]);
  });
});

test.each<[ip: string | null, sender: string, network: string]>([
  ["192.0.2.100", "192.0.2.100", "192.0.2.0/24"],
  ["::ffff:192.0.2.100", "192.0.2.100", "192.0.2.0/24"],
  ["::ffff:c000:264", "192.0.2.100", "192.0.2.0/24"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64", "2001:db8:1::/48"],
  ["2001:DB8:1:2:ffff::", "2001:db8:1:2::/64", "2001:db8:1::/48"],
  ["2001::4:5:6:7:8", "2001:0:0:4::/64", "2001:0:0::/48"],
  ["2001:db8::2:3:4:5:6", "2001:db8:0:2::/64", "2001:db8:0::/48"],
  ["1::ffff:c000:264", "1:0:0:0::/64", "1:0:0::/48"],
  ["::ffff:0:c000:264", "0:0:0:0::/64", "0:0:0::/48"],
  ["::", "0:0:0:0::/64", "0:0:0::/48"],
  ["x192.0.2.1", "x192.0.2.1", "x192.0.2.1"],
  ["x".repeat(46), "x".repeat(45), "x".repeat(45)],
  [null, "unknown", "unknown"],
])("the address %s is limited as the sender %s of the network %s", (ip, sender, network) => {
  expect([rateLimitKeyOf(ip), networkKeyOf(rateLimitKeyOf(ip))]).toEqual([sender, network]);
});

describe("the rules for settings", () => {
  test.each<[url: string, isService: boolean, isLocal: boolean]>([
    ["http://localhost:8788", true, true],
    ["http://127.1.2.3:80/path", true, true],
    ["https://[::1]:8788", true, true],
    ["https://api.example.com/v1", true, false],
    ["http://api.example.com", false, false],
    ["http://localhost.example.com", false, false],
    ["http://127.0.0.1.example.com", false, false],
    ["https://name:password@api.example.com", false, false],
    ["http://name@localhost", false, true],
    ["javascript:alert(1)", false, false],
    ["ftp://localhost", false, true],
    ["nonsense", false, false],
    ["", false, false],
  ])("take %j as a service's URL: %s, as one of this machine: %s", (url, isService, isLocal) => {
    expect([serviceUrl.safeParse(url).success, isLoopback(url)]).toEqual([isService, isLocal]);
  });

  test("know this machine's hosts by their full names", () => {
    expect(["localhost", "site.localhost", "[::1]", "127.0.0.1"].every(isLoopbackHost)).toBe(true);
    expect(["notlocalhost", "localhost.x", "1127.0.0.1", "127.0.0.1.x", "127.0.0"].some(isLoopbackHost)).toBe(false);
  });

  test("report the first problem of each setting, without its value", () => {
    const token = z.string().check(z.minLength(32, "is too short"), z.regex(/^a/, "must begin with a"));
    const { error } = z.object({ API_URL: serviceUrl, TOKEN: token }).safeParse({ TOKEN: "secret-value" });
    expect(error && problemsOf(error)).toEqual([
      { name: "API_URL", problem: "is missing" },
      { name: "TOKEN", problem: "is too short" },
    ]);
  });
});
