import { execFile } from "node:child_process";
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { promisify } from "node:util";
import { PAID_PLANS } from "../app/contract/plans";
import { isStarted, runTool, ToolError, Usage } from "./failures";
import { QUIET, root, wrangler } from "./wrangler/wrangler";
import { wrongPrice } from "./wrong-price";

// npm run build: builds all Workers at once, into build/{name}. npm run build -- {name} builds one.

/** Ordered by port. */
export const WORKERS = {
  site: { folder: ".", bundle: "site.js" },
  "subscription-api": { folder: "functions/subscription-api", bundle: "index.js" },
  "stripe-simulator": { folder: "functions/stripe-simulator", bundle: "index.js" },
} as const;

export type WorkerName = keyof typeof WORKERS;
export const workerNames = Object.keys(WORKERS) as WorkerName[];

export const remixCli = createRequire(import.meta.url).resolve("@remix-run/dev/dist/cli.js");

const STAMP = "build/built-at";
const CONFIGURATION = ["package-lock.json", "tsconfig.json", "wrangler.toml", "remix.config.js", "postcss.config.js"];
const SOURCES = ["app", "functions", "tools", "package.json", ...CONFIGURATION];

type Site = { folder: string; buildOne: (name: WorkerName) => Promise<void> };

/** Builds as a deployment does. Sources that change meanwhile make it outdated. Throws ToolError with the output. */
export async function build(
  names: readonly WorkerName[] = workerNames,
  { folder, buildOne }: Site = { folder: root, buildOne: buildWorker },
): Promise<void> {
  const wrong = wrongPrice(PAID_PLANS);
  if (wrong !== undefined) throw new ToolError(wrong);
  const startedAt = Date.now();
  rmSync(join(folder, STAMP), { force: true });
  await Promise.all(names.map(buildOne));
  if (workerNames.every((name) => names.includes(name))) writeFileSync(join(folder, STAMP), String(startedAt));
}

async function buildWorker(name: WorkerName): Promise<void> {
  if (name === "site") await buildBrowser();
  await bundleWorker(name);
}

/** Bundles a Worker with Wrangler. Throws ToolError with Wrangler's output if it fails. @param options passed to Wrangler */
export async function bundleWorker(name: WorkerName, ...options: string[]): Promise<void> {
  // Also for npm run dev, whose bundles are not a deployment's.
  rmSync(join(root, STAMP), { force: true });
  const folders = ["--cwd", WORKERS[name].folder, "--outdir", join(root, "build", name)];
  await run(wrangler, "deploy", "--dry-run", "--env", "local", ...folders, ...options);
}

/** Builds everything for the site except the Worker's bundle, which a deployment makes itself. */
export async function buildBrowser(): Promise<void> {
  await run("--import", "tsx", join(root, "tools/browser-bundle/compile.ts"), "build");
}

async function run(...args: string[]): Promise<void> {
  const options = {
    cwd: root,
    env: { ...process.env, ...QUIET, NODE_ENV: "production", CI: "1" },
    maxBuffer: 64 * 1024 * 1024,
  };
  await promisify(execFile)(process.execPath, args, options).catch(({ stdout, stderr }) => {
    throw new ToolError(`${stdout}${stderr}`.trim());
  });
}

export async function buildWhatChanged(): Promise<void> {
  const isCurrent = isBuilt();
  console.log(isCurrent ? "The build is up to date." : "Building …");
  if (!isCurrent) await build();
}

/** True if no source is newer than the last build. In app/, checks folders too: deleting a file updates its folder. */
export function isBuilt(folder: string = root): boolean {
  try {
    const builtAt = Number(readFileSync(join(folder, STAMP), "utf8"));
    return SOURCES.every((name) => isOlder(join(folder, name), builtAt, name === "app"));
  } catch {
    return false;
  }
}

function isOlder(path: string, time: number, countsFolders: boolean): boolean {
  const stats = statSync(path);
  if ((stats.isFile() || countsFolders) && stats.mtimeMs >= time) return false;
  const names = stats.isDirectory() ? readdirSync(path).filter((name) => !name.startsWith(".")) : [];
  return names.every((name) => isOlder(join(path, name), time, countsFolders));
}

/** The Workers that a command names, all without a name. Throws ToolError for another name, and Usage for `--help`. */
export function workersIn(args: readonly string[]): readonly WorkerName[] {
  if (args.includes("--help")) throw new Usage(`Usage: npm run build [${workerNames.join("] [")}]`);
  const names = workerNames.filter((name) => args.includes(name));
  const wrong = args.find((name) => !workerNames.some((known) => known === name));
  if (wrong !== undefined)
    throw new ToolError(`There is no Worker "${wrong}". The Workers are ${workerNames.join(", ")}.`);
  return names.length > 0 ? names : workerNames;
}

if (isStarted(import.meta.url)) {
  await runTool(async () => {
    await build(workersIn(process.argv.slice(2)));
    return true;
  });
}
