import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { build, isBuilt, type WorkerName, workerNames, workersIn } from "../../../tools/build";
import { ToolError } from "../../../tools/failures";
import { root } from "../../../tools/wrangler/wrangler";
import { outcomeOf } from "./outcome";

/* When `npm start` builds again, and how `npm run build` ends. */

/** Files beside the folders that no build reads. Any other one may change what is built. */
const NOT_BUILT = /\.md$|^(?:biome\.json|knip\.jsonc|playwright\.config\.ts|vitest\.config\.ts)$/;
const beside = readdirSync(root, { withFileTypes: true }).filter((one) => one.isFile() && !one.name.startsWith("."));
const READ = [
  ...["app/home/home.tsx", "functions/site.ts", "functions/subscription-api/wrangler.toml", "tools/build.ts"],
  ...beside.map(({ name }) => name).filter((name) => !NOT_BUILT.test(name)),
];
const FILES = [...READ, "build/site/site.js"];
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

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "build-"));
  for (const path of FILES) write(path, LONG_AGO);
});

const buildWith = (buildOne: (name: WorkerName) => Promise<void> = async () => {}, names = workerNames) =>
  outcomeOf(async () => {
    await build(names, { folder, buildOne });
    return true;
  });
/** After everything that happens before it. */
const soon = () => new Date(Date.now() + 1_000);

test.each([...READ, "app/new.tsx", "functions/new.ts"])("a change of %s during a build outdates it", async (path) => {
  await buildWith(async (name) => {
    if (name === "site") write(path, soon());
  });
  expect(isBuilt(folder)).toBe(false);
  write(path, LONG_AGO);
  await buildWith();
  expect(isBuilt(folder), "after the next build").toBe(true);
});

test("a build is outdated once a route goes, and not by what a build writes or by a hidden file", async () => {
  expect(await buildWith()).toMatchObject({ exitCode: 0 });
  for (const path of ["build/site/site.js", "functions/.wrangler/a.sqlite"]) write(path, soon());
  expect([isBuilt(folder), isBuilt(folder)], "however often one looks").toEqual([true, true]);
  rmSync(join(folder, "app/home/home.tsx"));
  utimesSync(join(folder, "app/home"), soon(), soon());
  expect(isBuilt(folder)).toBe(false);
});

test("a build that fails leaves the earlier one outdated, and says why", async () => {
  await buildWith();
  const failed = await buildWith(() => Promise.reject(new ToolError("✘ [ERROR] Unexpected token")));
  expect(failed).toMatchObject({ exitCode: 1, last: "✘ [ERROR] Unexpected token" });
  expect(isBuilt(folder)).toBe(false);
});

test("a checkout has no build, and a build of one Worker alone is not a build of all", async () => {
  expect(isBuilt(folder)).toBe(false);
  const built: string[] = [];
  await buildWith(async (name) => void built.push(name), ["site"]);
  expect({ built, isBuilt: isBuilt(folder) }).toEqual({ built: ["site"], isBuilt: false });
});

test("npm run build builds the Workers that it names, all without a name, and nothing for another name", () => {
  expect(workersIn([])).toEqual(workerNames);
  expect(workersIn(["stripe-simulator", "site"])).toEqual(["site", "stripe-simulator"]);
  for (const word of ["sites", ""])
    expect(() => workersIn([word])).toThrow(
      `There is no Worker "${word}". The Workers are site, subscription-api, stripe-simulator.`,
    );
});
