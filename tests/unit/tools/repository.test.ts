import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { matchesGlob, resolve } from "node:path";
import { dirname, join, normalize } from "node:path/posix";
import { expect, test } from "vitest";
import * as z from "zod";
import { WORKERS, workerNames } from "../../../tools/build";
import { INSTALL_CHROMIUM } from "../../../tools/chromium";
import { readWorkerSettings } from "../../../tools/wrangler/worker-settings";
import { root } from "../../../tools/wrangler/wrangler";
import { filesIn } from "../../support/files-in";

/* Paths and patterns written by hand in code and settings match existing files. */

const textOf = (path: string) => readFileSync(join(root, path), "utf8");
const all = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, found = ""]) => found);

const FOLDERS = [".ci", ".github", "app", "docs", "functions", "public", "tests", "tools"];
/** Written by commands, or not in a zip of the repository. */
const isOutput = (path: string) => /^(build|public\/build|\.git)(\/|$)|\.wrangler/.test(path);
const files = [
  ...readdirSync(root).filter((name) => statSync(join(root, name)).isFile()),
  ...FOLDERS.flatMap(filesIn),
].filter((path) => !isOutput(path) && statSync(join(root, path)).isFile());
const code = files.filter((path) => /\.(tsx?|mjs)$/.test(path));

test("Playwright's installer for Chromium exists, and says what it installs where", () => {
  const [program = "", ...args] = INSTALL_CHROMIUM;
  const { stdout, stderr } = spawnSync(program, [...args, "--dry-run"], { encoding: "utf8" });
  expect(stdout, stderr).toMatch(/chromium[\s\S]*Install location:/i);
});

test("each file and folder that code names by its path exists", () => {
  const missing = code.flatMap((path) => {
    const text = textOf(path);
    const beside = all(text, /new URL\("(\.[^"]*)", import\.meta\.url\)/g).map((name) => join(dirname(path), name));
    const fromRoot = all(text, /join\(root, ("[^)]*")\)/g).map((parts) => join(...all(parts, /"([^"]*)"/g)));
    const named = [...beside, ...fromRoot].map(normalize).filter((name) => !isOutput(name));
    return named.filter((name) => !existsSync(join(root, name))).map((name) => `${path} names ${name}`);
  });
  expect(missing).toEqual([]);
});

/** The comments of a file, one for each line that has any. */
function commentsIn(path: string): string[] {
  const text = textOf(path);
  if (/\.(toml|yml)$/.test(path)) return all(text, /(?:^|\s)#(.*)/gm);
  if (path.endsWith(".sql")) return all(text, /--(.*)/g);
  return [...all(text, /(?:^|\s)\/\/(.*)/gm), ...all(text, /\/\*([\s\S]*?)\*\//g)];
}

/** Folders that a comment may leave out, beside its own. */
const FROM = ["", "app", "functions/subscription-api", "functions/stripe-simulator"];

test("each file that a comment names by its path exists", () => {
  const commented = files.filter((path) => /\.(tsx?|mjs|js|css|toml|yml|sql)$/.test(path));
  const missing = commented.flatMap((path) => {
    const named = commentsIn(path).flatMap((comment) =>
      all(comment, /(?<![\w/.@:-])((?:\.{0,2}[\w-]+\/)+[\w.-]+\.(?:tsx?|mjs|js|sql|md|toml|yml|css|json))\b/g),
    );
    const exists = (name: string) =>
      [dirname(path), ...FROM].some((folder) => existsSync(join(root, folder, name)) || isOutput(join(folder, name)));
    return named.filter((name) => !exists(name)).map((name) => `${path} names ${name}`);
  });
  expect(missing).toEqual([]);
});

test("no file has more than 250 lines", () => {
  expect(code.filter((path) => textOf(path).trimEnd().split("\n").length > 250)).toEqual([]);
});

test("each pattern of biome.json matches a file", () => {
  const includes = z.object({ includes: z.array(z.string()) });
  const biome = z.object({ files: includes, overrides: z.array(includes) }).parse(JSON.parse(textOf("biome.json")));
  const patterns = [biome.files, ...biome.overrides].flatMap((part) =>
    part.includes.map((one) => one.replace(/^!+/, "")),
  );
  expect(patterns.filter((pattern) => !files.some((path) => matchesGlob(path, pattern)))).toEqual([]);
});

test.each(workerNames)("each path in the wrangler.toml of %s exists", (name) => {
  const { folder } = WORKERS[name];
  const { main, assets, alias = {}, d1_databases, build } = readWorkerSettings(join(root, folder, "wrangler.toml"));
  const inFolder = [
    ...Object.values(alias),
    ...d1_databases.flatMap(({ migrations_dir }) => migrations_dir ?? []),
    ...all(build.command ?? "", /node (\S+)/g),
  ];
  const paths = [...[main, assets?.directory].flatMap((path) => path ?? []), ...inFolder].map((path) =>
    resolve(root, folder, path),
  );
  expect(paths.filter((path) => !existsSync(path) && !isOutput(path.slice(root.length).replaceAll("\\", "/")))).toEqual(
    [],
  );
});

test("each pattern that tsconfig.json includes matches a file", () => {
  const { include } = z.object({ include: z.array(z.string()) }).parse(JSON.parse(textOf("tsconfig.json")));
  const matches = (pattern: string) =>
    code.some((path) => path.startsWith(`${pattern}/`) || matchesGlob(path, pattern));
  expect(include.filter((pattern) => !matches(pattern))).toEqual([]);
});

test.each(files.filter((path) => path.startsWith(".github/workflows/")))("%s names what exists", (path) => {
  const workflow = textOf(path);
  const workflows = files.filter((file) => file.startsWith(".github/workflows/"));
  const { scripts } = z.object({ scripts: z.record(z.string(), z.string()) }).parse(JSON.parse(textOf("package.json")));
  const missing = {
    scripts: all(workflow, /npm run ([\w:-]*\w)/g).filter((name) => !(name in scripts)),
    files: all(workflow, /node-version-file: (\S+)/g).filter((name) => !existsSync(join(root, name))),
    testFilters: all(workflow, /test:unit -- ([\w/-]+)/g).filter((name) => !files.some((file) => file.includes(name))),
    workflowFiles: all(workflow, /--workflow (\S+)/g).filter((name) => !workflows.some((file) => file.endsWith(name))),
    workflowNames: all(workflow, /workflows: \[(.+)\]/g).filter(
      (name) => !workflows.some((file) => textOf(file).startsWith(`name: ${name}\n`)),
    ),
  };
  expect(missing).toEqual({ scripts: [], files: [], testFilters: [], workflowFiles: [], workflowNames: [] });
});

test("each rule of renovate.json matches a dependency", () => {
  const { packageRules } = z
    .object({
      packageRules: z.array(
        z.object({
          matchPackageNames: z.array(z.string()).default([]),
          matchDepTypes: z.array(z.string()).default([]),
        }),
      ),
    })
    .parse(JSON.parse(textOf(".github/renovate.json")));
  const dependencies = z.record(z.string(), z.string());
  const manifest = z.object({ dependencies, devDependencies: dependencies }).parse(JSON.parse(textOf("package.json")));
  const names = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies });
  const patterns = packageRules.flatMap(({ matchPackageNames }) => matchPackageNames);
  expect(patterns.filter((pattern) => !names.some((name) => matchesGlob(name, pattern)))).toEqual([]);
  expect(packageRules.flatMap(({ matchDepTypes }) => matchDepTypes).filter((type) => !(type in manifest))).toEqual([]);
});
