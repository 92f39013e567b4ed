import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, statSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { createInterface } from "node:readline";
import { stripVTControlCharacters } from "node:util";
import { watch } from "chokidar";
import * as z from "zod";
import { bundleWorker, remixCli, WORKERS, type WorkerName, workerNames } from "../build";
import { messageOf, ToolError } from "../failures";
import { root } from "../wrangler/wrangler";

/** Waits for more changes, because several files often change at once. */
const SETTLED_AFTER_MS = 50;

const RESTART = ["package.json", "package-lock.json", "postcss.config.js", "tsconfig.json"];
/** The Remix compiler's output, which the site's bundle includes. */
const SITE_BUILD = join(root, "build/index.js");
/** Files that builds and Workers write, which must not trigger a rebuild. */
const OUTPUT = /(^|[\\/])(public[\\/]build|\.wrangler)/;

type Inputs = Record<WorkerName, ReadonlySet<string>>;

type Effect = { bundles: WorkerName[]; isReloaded: boolean; restart: string[] };

/** The Remix compiler has already handled changes in app/. @param changed paths from the root, with slashes */
export function effectOf(changed: string[], inputs: Inputs): Effect {
  const seen = changed.filter((path) => !OUTPUT.test(path));
  const isIn = (name: WorkerName, path: string) =>
    inputs[name].has(path) || path.startsWith(`functions/${name}/`) || (name === "site" && isOfSite(path));
  const bundles = workerNames.filter((name) => seen.some((path) => isIn(name, path)));
  const isSetting = (path: string) => /^(public\/|\.dev\.vars|\.env)/.test(path);
  const restart = seen.filter((path) => RESTART.includes(path) || path.startsWith("tools/"));
  return { bundles, isReloaded: bundles.length > 0 || seen.some(isSetting), restart };
}

const isOfSite = (path: string) => path.startsWith("app/") || path === "wrangler.toml";

const metafile = z.object({ inputs: z.record(z.string(), z.unknown()) });

/** Bundles a Worker without minifying it, which would take most of the time. */
async function bundle(name: WorkerName): Promise<ReadonlySet<string>> {
  await bundleWorker(name, "--metafile", "--minify=false");
  const text = readFileSync(join(root, "build", name, "bundle-meta.json"), "utf8");
  const paths = Object.keys(metafile.parse(JSON.parse(text)).inputs);
  const folder = join(root, WORKERS[name].folder);
  return new Set(paths.map((path) => relative(root, resolve(folder, path)).replaceAll("\\", "/")));
}

type Beside = {
  bundle: (name: WorkerName) => Promise<ReadonlySet<string>>;
  reload: () => Promise<void>;
  say: (line: string) => void;
};

/** One rebuild after the other. A change during a rebuild leads to another one. @param inputs is kept up to date */
export function rebuilds(inputs: Inputs, { bundle, reload, say }: Beside) {
  const changed = new Set<string>();
  const unbuilt = new Set<WorkerName>();
  let timer: NodeJS.Timeout | undefined;
  let last = Promise.resolve();

  async function rebuild(): Promise<void> {
    const { bundles, isReloaded, restart } = effectOf([...changed], inputs);
    changed.clear();
    if (restart.length > 0) say(`Restart npm run dev to use ${restart.join(", ")}.`);
    // A Worker whose build failed is tried again with the next change.
    for (const name of bundles) unbuilt.add(name);
    const names = [...unbuilt];
    await Promise.all(
      names.map(async (name) => {
        inputs[name] = await bundle(name);
        unbuilt.delete(name);
      }),
    );
    if (!isReloaded) return;
    await reload();
    say(`Reloaded: ${names.join(", ") || "settings and static files"}`);
  }

  return function take(paths: string[]): void {
    for (const path of paths) changed.add(path.replaceAll("\\", "/"));
    clearTimeout(timer);
    timer = setTimeout(() => {
      last = last.then(rebuild).catch((error: unknown) => say(messageOf(error)));
    }, SETTLED_AFTER_MS);
  };
}

/** Builds all Workers. Each change, even an early one, rebuilds the affected ones and calls the function of `onBuilt`. */
export async function startBuilding(
  say: (line: string) => void,
): Promise<{ onBuilt: (reload: () => Promise<void>) => void }> {
  const early: string[] = [];
  let take = (paths: string[]): void => void early.push(...paths);
  const paths = ["functions", "public", "tools", "wrangler.toml", ".dev.vars", ".env", ...RESTART];
  const watcher = watch(paths, { cwd: root, ignoreInitial: true, ignored: OUTPUT });
  watcher.on("all", (_event, path) => take([path]));
  await Promise.all([once(watcher, "ready"), startCompiler((paths) => take(paths))]);
  const [site, api, simulator] = await Promise.all([
    bundle("site"),
    bundle("subscription-api"),
    bundle("stripe-simulator"),
  ]);
  const inputs = { site, "subscription-api": api, "stripe-simulator": simulator };
  const onBuilt = (reload: () => Promise<void>) => {
    take = rebuilds(inputs, { bundle, reload, say });
    if (early.length > 0) take(early);
  };
  return { onBuilt };
}

/** Runs `remix watch`. Resolves after the first build; `onRebuilt` then gets the changed files of each successful build. */
async function startCompiler(onRebuilt: (paths: string[]) => void): Promise<void> {
  const compiler = spawn(process.execPath, [remixCli, "watch"], {
    cwd: root,
    env: { ...process.env, NODE_ENV: "production" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  process.once("exit", () => compiler.kill());
  const changed = new Set<string>();
  let isFirst = true;
  let writtenAt = Date.now();
  await new Promise<void>((resolve, reject) => {
    createInterface({ input: compiler.stdout }).on("line", (line) => {
      const [, path] = /File (?:created|changed|deleted): (.+)$/.exec(stripVTControlCharacters(line)) ?? [];
      if (path !== undefined) changed.add(path);
      if (!line.includes("Rebuilt in")) return;
      // The compiler reports a build even after a failure, but then it has written nothing.
      const time = statSync(SITE_BUILD, { throwIfNoEntry: false })?.mtimeMs ?? 0;
      const isWritten = time > writtenAt;
      if (isWritten) writtenAt = time;
      if (isFirst) {
        isFirst = false;
        return isWritten ? resolve() : reject(new ToolError("Fix the errors above, then start again."));
      }
      if (!isWritten) return;
      onRebuilt([...changed]);
      changed.clear();
    });
    compiler.once("exit", () => reject(new ToolError("The Remix compiler stopped. Its errors are above.")));
  });
}
