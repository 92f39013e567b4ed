import { describe, expect, onTestFinished, test, vi } from "vitest";
import * as z from "zod/mini";
import { readBoundedBytes, readBoundedText } from "../../../app/shared/bounded-body";
import { describeError } from "../../../app/shared/describe-error";
import { networkKeyOf, rateLimitKeyOf } from "../../../app/shared/limits/rate-limit-key";
import { isLoopback, problemsOf, serviceUrl } from "../../../app/shared/settings";
import { bodyOf } from "../../support/site-in-process/body-of";

const TYPED = "ada@example.com";

const bytes = new TextEncoder().encode("ä€😀");
const parts = [bytes.slice(0, 4), bytes.slice(4, 6), bytes.slice(6)];

describe("a body read with a limit of 9 bytes", () => {
  test.each<[string, parts: (string | Uint8Array)[], status: string, text?: string, then?: "breaks off" | "goes on"]>([
    ["without a byte", [], "read", ""],
    ["with 9 bytes", ["x".repeat(9)], "read", "x".repeat(9)],
    ["with 10 bytes", ["x".repeat(10)], "too long", "x".repeat(9)],
    ["without an end", ["xxxx"], "too long", "x".repeat(9), "goes on"],
    ["whose chunks split characters", parts, "read", "ä€😀"],
    ["with half a character", parts.slice(0, 1), "read", "ä\ufffd"],
    ["whose connection breaks", ["x"], "aborted", undefined, "breaks off"],
  ])("%s gives what was read: %j: %s", async (_, parts, status, text, then) => {
    const { response, taken, canceled } = bodyOf(parts, then);
    expect(await readBoundedText(response, { bytes: 9 })).toEqual({ status, text });
    expect([taken() < 6, canceled()]).toEqual([true, status === "too long"]);
  });

  test("is empty where it is missing, and is read as bytes too", async () => {
    expect(await readBoundedText(new Response(null), { bytes: 9 })).toEqual({ status: "read", text: "" });
    expect(await readBoundedBytes(bodyOf(parts).response, { bytes: 9 })).toEqual({ status: "read", bytes });
  });

  test("is given up and canceled at its deadline, whose timer ends with it", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const limits = { bytes: 9, milliseconds: 10_000 };
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
