import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import * as z from "zod/mini";
import { readBoundedBytes, readBoundedText } from "../../../app/shared/bounded-body";
import { describeError } from "../../../app/shared/describe-error";
import { networkKeyOf, rateLimitKeyOf } from "../../../app/shared/limits/rate-limit-key";
import { isLoopback, problemsOf, serviceUrl } from "../../../app/shared/settings";
import { bodyOf } from "../../support/site-in-process/body-of";

const KIB = 1024;
const TYPED = "ada@example.com";

describe("a body read with a limit", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
  afterEach(() => void vi.useRealTimers());

  test.each([0, 1, 4096, 16 * KIB])("of %i bytes is read when it has as many, not with one more", async (bytes) => {
    const text = "x".repeat(bytes);
    expect(await readBoundedText(bodyOf(text ? [text] : []).response, { bytes })).toEqual({ status: "read", text });
    expect(await readBoundedText(bodyOf([`${text}y`]).response, { bytes })).toEqual({ status: "too long", text });
  });

  test("is not read further once it exceeds the limit", async () => {
    const { response, taken, canceled } = bodyOf(["x".repeat(KIB)], "goes on");
    const read = await readBoundedText(response, { bytes: 8 * KIB });
    expect(read).toEqual({ status: "too long", text: "x".repeat(8 * KIB) });
    expect([taken() < 12, canceled()]).toEqual([true, true]);
  });

  test("is decoded as one text, wherever its chunks were split", async () => {
    const bytes = new TextEncoder().encode("ä€😀".repeat(100));
    const parts = (size: number) =>
      Array.from({ length: 900 / size }, (_, at) => bytes.slice(at * size, (at + 1) * size));
    for (const size of [1, 2, 5]) {
      const { response } = bodyOf(parts(size));
      expect(await readBoundedText(response, { bytes: 900 })).toEqual({ status: "read", text: "ä€😀".repeat(100) });
    }
    expect(await readBoundedBytes(bodyOf(parts(5)).response, { bytes: 900 })).toEqual({ status: "read", bytes });
    const cut = await readBoundedText(bodyOf([bytes.slice(0, 4)]).response, { bytes: KIB });
    expect(cut).toEqual({ status: "read", text: "ä\ufffd" });
  });

  test("is empty where it is missing, and aborted where the connection breaks", async () => {
    expect(await readBoundedText(new Response(null), { bytes: KIB })).toEqual({ status: "read", text: "" });
    expect(await readBoundedText(bodyOf(["x"], "breaks off").response, { bytes: KIB })).toEqual({ status: "aborted" });
  });

  test("is given up and canceled at its deadline, if it has one", async () => {
    const { response, canceled } = bodyOf(["a=1"], "stalls");
    const limits = { bytes: KIB, milliseconds: 10_000 };
    const reading = readBoundedBytes(response, limits);
    const unbounded = readBoundedText(bodyOf(["a=1"], "stalls").response, { bytes: KIB });
    const first = (read: Promise<unknown>) => Promise.race([read, Promise.resolve("not yet")]);
    await vi.advanceTimersByTimeAsync(9_999);
    expect(await first(reading)).toBe("not yet");
    await vi.advanceTimersByTimeAsync(1);
    expect([await reading, canceled()]).toEqual([{ status: "too slow" }, true]);
    expect(await first(unbounded)).toBe("not yet");
    const whole = bodyOf(["a=1"]);
    expect(await readBoundedBytes(whole.response, limits)).toMatchObject({ status: "read" });
    expect([whole.canceled(), vi.getTimerCount()]).toEqual([false, 0]);
  });
});

test.each([
  TYPED,
  `No ${TYPED}\nand more of ${TYPED}`,
  `No\n    at ${TYPED}\n    at ${TYPED} (typed.js:1:2)`,
  `$& ${TYPED}`,
])("an error in the log has its name, its cause's name and its stack, but nothing of its message %j", (message) => {
  const changed = Object.assign(new TypeError(message), { message: "Another message" });
  for (const error of [new TypeError(message, { cause: new RangeError(TYPED) }), changed]) {
    const { stack = [], ...described } = describeError(error);
    expect(described).toEqual({ error: "TypeError", ...(error !== changed && { cause: "RangeError" }) });
    expect(stack[0]).toMatch(/shared\.test\.ts/);
    expect(stack.join()).not.toContain(TYPED);
  }
  expect(describeError(message)).toEqual({ error: "string" });
});

test.each<[ip: string | null, sender: string, network: string]>([
  ["192.0.2.100", "192.0.2.100", "192.0.2.0/24"],
  ["::ffff:192.0.2.100", "192.0.2.100", "192.0.2.0/24"],
  ["2001:DB8:1:2:3:4:5:6", "2001:db8:1:2::/64", "2001:db8:1::/48"],
  ["2001::4:5:6:7:8", "2001:0:0:4::/64", "2001:0:0::/48"],
  ["2001:db8:1:2:ffff::", "2001:db8:1:2::/64", "2001:db8:1::/48"],
  ["1::ffff:c000:264", "1:0:0:0::/64", "1:0:0::/48"],
  ["::ffff:0:c000:264", "0:0:0:0::/64", "0:0:0::/48"],
  ["x".repeat(46), "x".repeat(45), "x".repeat(45)],
  [null, "unknown", "unknown"],
])("the address %s is limited as the sender %s of the network %s", (ip, sender, network) => {
  expect([rateLimitKeyOf(ip), networkKeyOf(rateLimitKeyOf(ip))]).toEqual([sender, network]);
});

test.each([
  [["http://localhost:8788", "http://127.1.2.3:80/path", "https://[::1]:8788", "http://site.localhost"], true, true],
  [["https://api.example.com/v1"], true, false],
  [["http://name@localhost", "ftp://localhost", "https://:password@localhost"], false, true],
  [["http://api.example.com", "http://localhost.example.com", "http://127.0.0.1.example.com"], false, false],
  [["http://notlocalhost", "https://name@api.example.com", "javascript:alert(1)", "nonsense", ""], false, false],
])("the URLs %j are taken for a service: %s, and are of this machine: %s", (urls, isService, isLocal) => {
  for (const url of urls)
    expect([url, serviceUrl.safeParse(url).success, isLoopback(url)]).toEqual([url, isService, isLocal]);
});

test("the first problem of each setting is reported, without its value", () => {
  const token = z.string().check(z.minLength(32, "is too short"), z.regex(/^a/, "must begin with a"));
  const { error } = z.object({ API_URL: serviceUrl, TOKEN: token }).safeParse({ TOKEN: "secret-value" });
  const problems = { API_URL: "is missing", TOKEN: "is too short" };
  expect(error && problemsOf(error)).toEqual(Object.entries(problems).map(([name, problem]) => ({ name, problem })));
});
