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
        /** The systems that it is for, if it is not for all. */
        os: z.array(z.string()).optional(),
        optionalDependencies: z.record(z.string(), z.string()).default({}),
      }),
    ),
  })
  .transform(({ packages: { "": _root, ...others } }) => Object.entries(others))
  .parse(JSON.parse(read("package-lock.json")));

/**
 * npm writes down the content of what it has downloaded alone. Of these, which are for other systems than Linux on x64 with
 * glibc, where tests and deployments run, it knows the version.
 */
const WITHOUT_INTEGRITY = Object.entries({
  "@biomejs/cli":
    "android-arm64 android-x64 darwin-arm64 darwin-x64 linux-arm64-musl linux-x64-musl win32-arm64 win32-x64",
  "@rollup/rollup":
    "android-arm-eabi android-arm64 android-x64 darwin-arm64 darwin-x64 freebsd-arm64 freebsd-x64 linux-arm-gnueabihf linux-arm-musleabihf linux-arm64-musl linux-loong64-gnu linux-loong64-musl linux-ppc64-gnu linux-ppc64-musl linux-riscv64-gnu linux-riscv64-musl linux-s390x-gnu linux-x64-musl openbsd-x64 openharmony-arm64 win32-arm64-msvc win32-ia32-msvc win32-x64-gnu win32-x64-msvc",
  "@tailwindcss/oxide":
    "android-arm64 darwin-arm64 darwin-x64 freebsd-x64 linux-arm-gnueabihf wasm32-wasi win32-arm64-msvc win32-x64-msvc",
}).flatMap(([name, systems]) => systems.split(" ").map((system) => `node_modules/${name}-${system}`));

test("every package is locked with its checksum, except those for other platforms, and comes from the registry that npm is set to [H30]", () => {
  expect(locked.length).toBeGreaterThan(500);
  for (const [name, { integrity, resolved, link }] of locked) {
    expect([name, resolved, link]).toEqual([name, undefined, undefined]);
    if (WITHOUT_INTEGRITY.includes(name)) continue;
    expect([name, integrity]).toEqual([name, expect.stringMatching(/^sha512-[A-Za-z0-9+/]{86}==$/)]);
  }
});

test("packages without a checksum are not deployed, and have the exact version that their parent names [H30]", () => {
  const packages = new Map(locked);
  const named = new Map(locked.flatMap(([, { optionalDependencies }]) => Object.entries(optionalDependencies)));
  for (const name of WITHOUT_INTEGRITY) {
    const { version, cpu = [], os = [], integrity } = packages.get(name) ?? {};
    // Whoever adds one has read the reason above; whoever updates one takes it off again.
    expect([name, integrity]).toEqual([name, undefined]);
    const isElsewhere = !cpu.includes("x64") || !os.includes("linux") || name.endsWith("-musl");
    expect([name, isElsewhere, version]).toEqual([name, true, named.get(name.replace("node_modules/", ""))]);
  }
});

test("the lock file has the packages of every platform, so npm ci works on each", () => {
  const names = new Set(locked.map(([path]) => path));
  const missing = locked.flatMap(([path, { optionalDependencies }]) =>
    Object.keys(optionalDependencies).filter(
      (name) => !names.has(`${path}/node_modules/${name}`) && !names.has(`node_modules/${name}`),
    ),
  );
  expect(missing).toEqual([]);
});

test("no package runs a script at installation", () => {
  expect(read(".npmrc")).toMatch(/^ignore-scripts=true$/m);
});
