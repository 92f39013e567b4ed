import { expect, test } from "vitest";
import { packageIdOf } from "../../../app/contract/fields/package-id";

test("the package id is read from the path, then from id, uuid and package_id, in this order [S3]", () => {
  const url = (query: string) => `https://site.example/subscription${query}`;
  expect(packageIdOf(url("?id=b&uuid=c&package_id=d"), "a")).toBe("a");
  expect(packageIdOf(url("?package_id=d&uuid=c&id=b"), undefined)).toBe("b");
  expect(packageIdOf(url("?package_id=d&uuid=c"), undefined)).toBe("c");
  expect(packageIdOf(url("?package_id=d"), undefined)).toBe("d");
  expect(packageIdOf(url(""), undefined)).toBe("");
});

test("a package id of 8 KB is truncated and stays invalid [F11]", () => {
  const long = "5a4a55f1-8a3c-4b0e-9d8e-6d2f0c1b7a10".repeat(200);
  expect(packageIdOf(`https://site.example/subscription?id=${long}`, undefined)).toHaveLength(100);
  expect(packageIdOf("https://site.example/subscription", long)).toHaveLength(100);
});
