import { afterEach, expect, test, vi } from "vitest";
import { readStatusToken, statusToken } from "../../../../functions/subscription-api/status-tokens";

afterEach(() => {
  vi.useRealTimers();
});

const ID = "6f1c9d3e-8a20-4b57-9c14-2d5e7f8a9b01";
const [SECRET, OLD] = ["the-new-secret-of-links", "the-old-secret-of-links"];
const NOW = 1_800_000_000_000;

test("a status token has 43 characters and opens its sign-up, also with the old secret, until it expires", () => {
  vi.useFakeTimers({ toFake: ["Date"], now: NOW });
  const token = statusToken(OLD, ID, new Date(NOW + 1000));
  expect(token).toMatch(/^[\w-]{43}$/);
  expect(readStatusToken([SECRET, OLD], token)).toBe(ID);
  expect(readStatusToken([SECRET], token)).toBeUndefined();
  vi.setSystemTime(NOW + 999);
  expect(readStatusToken([OLD], token)).toBe(ID);
  vi.setSystemTime(NOW + 1000);
  expect(readStatusToken([OLD], token)).toBeUndefined();
});

test("a status token is refused after a change of any byte, and so is anything else", () => {
  const bytes = Buffer.from(statusToken(SECRET, ID, new Date(Date.now() + 60_000)), "base64url");
  for (let at = 0; at < bytes.length; at += 1) {
    const changed = Buffer.from(bytes);
    changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
    expect([at, readStatusToken([SECRET], changed.toString("base64url"))]).toEqual([at, undefined]);
  }
  for (const token of ["", "x", "x".repeat(22), "x".repeat(4000), "%00"]) {
    expect(readStatusToken([SECRET], token)).toBeUndefined();
  }
});
