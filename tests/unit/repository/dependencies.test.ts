import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import * as z from "zod";

const read = (path: string) => readFileSync(fileURLToPath(new URL(`../../../${path}`, import.meta.url)), "utf8");

const lock = z.object({
  packages: z.record(
    z.string(),
    z.object({
      integrity: z.string().optional(),
      resolved: z.string().optional(),
      link: z.boolean().optional(),
    }),
  ),
});

test("each package is locked to its content, and comes from the registry that npm is set to", () => {
  const { "": _root, ...locked } = lock.parse(JSON.parse(read("package-lock.json"))).packages;
  const packages = Object.entries(locked);
  expect(packages.length).toBeGreaterThan(500);
  for (const [name, { integrity, resolved, link }] of packages) {
    expect([name, integrity]).toEqual([name, expect.stringMatching(/^sha512-[A-Za-z0-9+/]{86}==$/)]);
    expect([name, resolved, link]).toEqual([name, undefined, undefined]);
  }
});

test("no package runs code at installation", () => {
  expect(read(".npmrc")).toMatch(/^ignore-scripts=true$/m);
});
