import { describe, expect, test } from "vitest";
import { checkUrl } from "../../../app/pipeline/guard/url-check.server";

const ORIGIN = "https://www.example";
const statusOf = (path: string) => checkUrl(new URL(ORIGIN + path))?.status;
/** A URL of so many characters. */
const ofLength = (length: number) => `/${"a".repeat(length - ORIGIN.length - 1)}`;

describe("a URL", () => {
  test("has at most 8,192 characters [A10]", () => {
    expect(statusOf(ofLength(8192))).toBeUndefined();
    expect(statusOf(ofLength(8193))).toBe(414);
  });

  test("has at most 64 parameters [F11]", () => {
    expect(statusOf(`/pricing?${"a&".repeat(63)}a`)).toBeUndefined();
    expect(statusOf(`/pricing?${"a&".repeat(64)}a`)).toBe(400);
  });

  test.each([
    "?_data=x",
    "?_data",
    "?a=1&_data=x",
    "?_data&a",
    "?%5fdata=x",
    "?%5Fdata=x",
    "?_%64ata=x",
    "?_d%61ta=x",
    "?_da%74a=x",
    "?_dat%61=x",
  ])("must not request a single loader: %s [A2]", (query) => {
    expect(statusOf(`/subscription${query}`)).toBe(400);
  });

  test.each(["", "?", "?data=x", "?_database=x", "?x_data=x", "?x=_data", "?_dat=a"])(
    "may have the query %s [A2]",
    (query) => {
      expect(statusOf(`/subscription${query}`)).toBeUndefined();
    },
  );
});
