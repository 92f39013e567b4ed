import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import * as z from "zod";

const read = (path: string) => readFileSync(fileURLToPath(new URL(`../../../${path}`, import.meta.url)), "utf8");

const locked = z
  .object({
    packages: z.record(
      z.string(),
      z.object({
        version: z.string(),
        integrity: z.string().optional(),
        resolved: z.string().optional(),
        link: z.boolean().optional(),
        /** The processors that it is for, if it is not for all. */
        cpu: z.array(z.string()).optional(),
        optionalDependencies: z.record(z.string(), z.string()).default({}),
      }),
    ),
  })
  .transform(({ packages: { "": _root, ...others } }) => Object.entries(others))
  .parse(JSON.parse(read("package-lock.json")));

test("each package is locked to its content, and comes from the registry that npm is set to", () => {
  expect(locked.length).toBeGreaterThan(500);
  for (const [name, { integrity, resolved, link, cpu }] of locked) {
    expect([name, resolved, link]).toEqual([name, undefined, undefined]);
    // Of another platform's packages npm knows nothing but the version, which another package names.
    if (cpu && integrity === undefined) continue;
    expect([name, integrity]).toEqual([name, expect.stringMatching(/^sha512-[A-Za-z0-9+/]{86}==$/)]);
  }
});

test("the packages of every platform are locked: npm ci takes the file on each", () => {
  const names = new Set(locked.map(([path]) => path));
  const missing = locked.flatMap(([path, { optionalDependencies }]) =>
    Object.keys(optionalDependencies).filter(
      (name) => !names.has(`${path}/node_modules/${name}`) && !names.has(`node_modules/${name}`),
    ),
  );
  expect(missing).toEqual([]);
});

test("no package runs code at installation", () => {
  expect(read(".npmrc")).toMatch(/^ignore-scripts=true$/m);
});
