import { expect, test } from "vitest";
import { packageIdOf } from "../../app/contract/package-id";

test("the package id comes from the path, then id, uuid, package_id [S3]", () => {
  const url = (query: string) => `https://site.example/subscription${query}`;
  expect(packageIdOf(url("?id=b&uuid=c&package_id=d"), "a")).toBe("a");
  expect(packageIdOf(url("?package_id=d&uuid=c&id=b"), undefined)).toBe("b");
  expect(packageIdOf(url("?package_id=d&uuid=c"), undefined)).toBe("c");
  expect(packageIdOf(url("?package_id=d"), undefined)).toBe("d");
  expect(packageIdOf(url(""), undefined)).toBe("");
});
