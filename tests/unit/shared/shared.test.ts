import { describe, expect, onTestFinished, test, vi } from "vitest";
import * as z from "zod/mini";
import { readBoundedBytes, readBoundedText } from "../../../app/shared/bounded-body";
import { describeError } from "../../../app/shared/describe-error";
import { networkKeyOf, rateLimitKeyOf } from "../../../app/shared/limits/rate-limit-key";
import { isLoopback, problemsOf, serviceUrl } from "../../../app/shared/settings";
import { bodyOf } from "../../support/site-in-process/body-of";

const KIB = 1024;
const TYPED = "ada@example.com";

describe("a body read with a limit", () => {
  test.each([0, 1, 16 * KIB])("of %i bytes is read when it has as many, not with one more", async (bytes) => {
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
    const bytes = new TextEncoder().encode("ä€😀");
    const parts = [bytes.slice(0, 4), bytes.slice(4, 6), bytes.slice(6)];
    const read = { status: "read", text: "ä€😀" };
    expect(await readBoundedText(bodyOf(parts).response, { bytes: KIB })).toEqual(read);
    expect(await readBoundedBytes(bodyOf(parts).response, { bytes: KIB })).toEqual({ status: "read", bytes });
    const cut = await readBoundedText(bodyOf(parts.slice(0, 1)).response, { bytes: KIB });
    expect(cut).toEqual({ ...read, text: "ä\ufffd" });
  });

  test("is empty where it is missing, and aborted where the connection breaks", async () => {
    expect(await readBoundedText(new Response(null), { bytes: KIB })).toEqual({ status: "read", text: "" });
    expect(await readBoundedText(bodyOf(["x"], "breaks off").response, { bytes: KIB })).toEqual({ status: "aborted" });
  });

  test("is given up and canceled at its deadline, whose timer ends with it", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const limits = { bytes: KIB, milliseconds: 10_000 };
    const { response, canceled } = bodyOf(["a=1"], "stalls");
    const reading = readBoundedBytes(response, limits);
    await vi.advanceTimersByTimeAsync(9_999);
    expect(canceled()).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect([await reading, canceled()]).toEqual([{ status: "too slow" }, true]);
    expect(await readBoundedBytes(bodyOf(["a=1"]).response, limits)).toMatchObject({ status: "read" });
    expect(vi.getTimerCount()).toBe(0);
  });
});

test.each([TYPED, `No ${TYPED}\n    at ${TYPED}\n    at ${TYPED} (typed.js:1:2)`, `$& ${TYPED}`])(
  "an error in the log has its name, its cause's name and its stack, but nothing of its message %j",
  (message) => {
    const changed = Object.assign(new TypeError(message), { message: "Another message" });
    for (const error of [new TypeError(message, { cause: new RangeError(TYPED) }), changed]) {
      const { stack = [], ...described } = describeError(error);
      expect(described).toEqual({ error: "TypeError", ...(error !== changed && { cause: "RangeError" }) });
      expect(stack[0]).toMatch(/shared\.test\.ts/);
      expect(stack.join()).not.toContain(TYPED);
    }
    expect(describeError(message)).toEqual({ error: "string" });
  },
);

test.each<[ip: string | null, sender: string, network: string]>([
  ["192.0.2.100", "192.0.2.100", "192.0.2.0/24"],
  ["::ffff:192.0.2.100", "192.0.2.100", "192.0.2.0/24"],
  ["2001:DB8:1:2:3:4:5:6", "2001:db8:1:2::/64", "2001:db8:1::/48"],
  ["2001::4:5:6:7:8", "2001:0:0:4::/64", "2001:0:0::/48"],
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
  const missing = { name: "API_URL", problem: "is missing" };
  expect(error && problemsOf(error)).toEqual([missing, { name: "TOKEN", problem: "is too short" }]);
});
