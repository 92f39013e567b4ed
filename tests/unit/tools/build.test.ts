import { mkdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { build, isBuilt, type WorkerName, workerNames, workersIn } from "../../../tools/build";
import { ToolError } from "../../../tools/failures";
import { outcomeOf } from "./outcome";

/* When `npm start` builds again, and how `npm run build` ends. */

const FILES = [
  ...["app/home/home.tsx", "functions/site.ts", "tools/build.ts", "package.json", "package-lock.json"],
  ...["tsconfig.json", "wrangler.toml", "remix.config.js", "postcss.config.js", "build/site/site.js"],
];
const LONG_AGO = new Date("2026-01-01T00:00:00Z");

let folder = "";
/** Writes a file whose last change is at a time. */
function write(path: string, at: Date): void {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, "");
  utimesSync(file, at, at);
  for (let parent = dirname(file); parent !== folder; parent = dirname(parent)) utimesSync(parent, at, at);
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "build-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const path of FILES) write(path, LONG_AGO);
});

const buildWith = (buildOne: (name: WorkerName) => Promise<void> = async () => {}, names = workerNames) =>
  outcomeOf(async () => {
    await build(names, { folder, buildOne });
    return true;
  });
/** After everything that happens before it. */
const soon = () => new Date(Date.now() + 1_000);

test("a checkout without a build is built, and then is up to date, however often one looks", async () => {
  expect(isBuilt(folder)).toBe(false);
  expect((await buildWith()).exitCode).toBe(0);
  expect([isBuilt(folder), isBuilt(folder)]).toEqual([true, true]);
});

test.each(["app/home/home.tsx", "app/new.tsx", "functions/site.ts", "tools/build.ts", "package.json", "wrangler.toml"])(
  "a change of %s during a build makes the build outdated, and the next one does not",
  async (path) => {
    await buildWith(async (name) => {
      if (name === "site") write(path, soon());
    });
    expect(isBuilt(folder)).toBe(false);
    write(path, LONG_AGO);
    await buildWith();
    expect(isBuilt(folder)).toBe(true);
  },
);

test.each([
  { what: "a file changes", change: () => write("functions/site.ts", soon()) },
  { what: "a file comes", change: () => write("functions/new.ts", soon()) },
  {
    what: "a route goes",
    change: () => {
      rmSync(join(folder, "app/home/home.tsx"));
      utimesSync(join(folder, "app/home"), soon(), soon());
    },
  },
])("a build is outdated once $what", async ({ change }) => {
  await buildWith();
  change();
  expect(isBuilt(folder)).toBe(false);
});

test("a change of what a build writes, or of a hidden file, leaves it up to date", async () => {
  await buildWith();
  for (const path of ["build/site/site.js", "functions/.wrangler/a.sqlite"]) write(path, soon());
  expect(isBuilt(folder)).toBe(true);
});

test("a build that fails leaves the earlier one outdated, and says why", async () => {
  await buildWith();
  const failed = await buildWith(async () => {
    throw new ToolError("✘ [ERROR] Unexpected token");
  });
  expect({ exitCode: failed.exitCode, last: failed.last }).toEqual({ exitCode: 1, last: "✘ [ERROR] Unexpected token" });
  expect(isBuilt(folder)).toBe(false);
});

test("a build of one Worker alone is not a build of all", async () => {
  const built: string[] = [];
  await buildWith(async (name) => void built.push(name), ["site"]);
  expect(built).toEqual(["site"]);
  expect(isBuilt(folder)).toBe(false);
});

test.each([
  { args: [], names: workerNames },
  { args: ["stripe-simulator", "site"], names: ["site", "stripe-simulator"] },
  { args: ["site", "site"], names: ["site"] },
])("npm run build $args builds $names", ({ args, names }) => {
  expect(workersIn(args)).toEqual(names);
});

test.each(["--all", "sites", ""])("npm run build %j builds nothing, and names the Workers", (word) => {
  expect(() => workersIn([word])).toThrow(
    `There is no Worker "${word}". The Workers are site, subscription-api, stripe-simulator.`,
  );
});
