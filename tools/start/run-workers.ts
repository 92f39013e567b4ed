import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { Log, Miniflare, MiniflareCoreError, type MiniflareOptions, NoOpLog, type WorkerOptions } from "miniflare";
import { WORKERS, type WorkerName, workerNames } from "../build";
import { ToolError } from "../failures";
import { migrateDatabase } from "../wrangler/migrate-database";
import { bindingsOf, type Vars } from "../wrangler/worker-settings";
import { root } from "../wrangler/wrangler";
import { liveReloadModule } from "./live-reload";
import { loadErrorIn } from "./log-lines";
import { DISK_IS_FULL } from "./state-folder";

export type LocalWorkers = ReturnType<typeof localWorkers>;

/** A module of a Worker threw while it loaded. The message has its place in the source. */
export class LoadError extends ToolError {}

/** workerd reports a rejection that nobody handles only to a debugger. */
const SHOWS_REJECTIONS = `
addEventListener("unhandledrejection", ({ reason }) => console.error("Unhandled rejection:", reason));`;

type Options = {
  varsOf: (name: WorkerName) => Vars;
  state: string;
  isVerbose: boolean;
  /** True if open pages reload when the Workers do, and debuggers may connect. */
  isDevelopment: boolean;
  onLine: (line: string) => void;
};

/** The built Workers in one Miniflare, which runs from the first `load` that succeeds. */
export function localWorkers({ varsOf, state, isVerbose, isDevelopment, onLine }: Options) {
  let running: Miniflare | undefined;
  let failed: unknown = new Error("The Workers are not running.");
  /** What workerd says while it loads the modules. */
  let said: string[] | undefined;
  let hasEnded: Promise<unknown> = Promise.resolve();

  const bindings = (name: WorkerName) => bindingsOf(WORKERS[name].folder, varsOf(name));
  const names = new Map(workerNames.map((name) => [name, String(bindings(name).name)]));
  const nameOf = (name: WorkerName) => String(names.get(name));
  const bundleOf = (name: WorkerName) => join(root, "build", name, WORKERS[name].bundle);
  const optionsOf = (name: WorkerName): WorkerOptions => {
    const { bundle } = WORKERS[name];
    const built = { type: "ESModule" as const, path: bundleOf(name) };
    const watched = () => ({ ...built, contents: readFileSync(built.path, "utf8") + SHOWS_REJECTIONS });
    const reloading = () => ({
      type: built.type,
      path: join(root, "build", name, "live-reload.js"),
      contents: liveReloadModule(`./${bundle}`, String(Date.now())),
    });
    const modules = isDevelopment ? [...(name === "site" ? [reloading()] : []), watched()] : [built];
    return {
      ...bindings(name),
      modulesRoot: join(root, "build", name),
      modules,
      unsafeInspectorProxy: isDevelopment,
      // Miniflare itself listens only for the first Worker, and compresses its pages as Cloudflare does.
      ...(name !== "site" && { unsafeDirectSockets: [{ host: "127.0.0.1", port: 0 }] }),
    };
  };
  const options = (): MiniflareOptions => ({
    workers: workerNames.map(optionsOf),
    host: "127.0.0.1",
    port: 0,
    ...(isDevelopment && { inspectorPort: 0, inspectorHost: "127.0.0.1" }),
    d1Persist: join(state, "v3/d1"),
    durableObjectsPersist: join(state, "v3/do"),
    log: isVerbose ? new Log() : new NoOpLog(),
    handleRuntimeStdio: (...outputs: NodeJS.ReadableStream[]) => {
      const inputs = outputs.map((input) => createInterface({ input }));
      hasEnded = Promise.all(inputs.map((input) => once(input, "close")));
      for (const input of inputs) input.on("line", (line) => (said ? void said.push(line) : onLine(line)));
    },
  });

  async function loadModules(): Promise<Miniflare> {
    const lines: string[] = [];
    said = lines;
    const miniflare = running ?? new Miniflare(options());
    try {
      if (running !== undefined) await running.setOptions(options());
      await miniflare.ready;
    } catch (error) {
      if (!(error instanceof MiniflareCoreError && error.code === "ERR_RUNTIME_FAILURE")) throw error;
      await hasEnded;
      // One that has never run cannot be loaded again. It fails once more, but frees what it has.
      if (running === undefined) await miniflare.dispose().catch(() => undefined);
      throw new LoadError(
        loadErrorIn(lines, (worker) => {
          const name = workerNames.find((one) => nameOf(one) === worker) ?? "site";
          return pathToFileURL(bundleOf(name)).href;
        }),
      );
    } finally {
      said = undefined;
    }
    running = miniflare;
    for (const line of lines) onLine(line);
    return miniflare;
  }

  async function migrate(miniflare: Miniflare): Promise<void> {
    await migrateDatabase(await miniflare.getD1Database("DB", nameOf("subscription-api"))).catch((error: Error) => {
      if (/SQLITE_FULL|ENOSPC|disk is full|No space left/i.test(error.message)) throw new ToolError(DISK_IS_FULL);
      throw new ToolError(
        `The local database cannot be migrated (${error.message}): delete ${state}, then start again.`,
      );
    });
  }

  function current(): Miniflare {
    if (running === undefined || failed !== undefined) throw failed;
    return running;
  }
  return {
    /** Throws what the last `load` failed with. */
    addressOf: async (name: WorkerName): Promise<URL> =>
      name === "site" ? current().ready : current().unsafeGetDirectURL(nameOf(name)),
    debuggerAddress: async () => current().getInspectorURL(),
    /** Loads all, also again, and migrates. Throws LoadError if a module throws, ToolError if a migration fails. */
    async load(): Promise<void> {
      try {
        await migrate(await loadModules());
        failed = undefined;
      } catch (error) {
        failed = error;
        throw error;
      }
    },
    /** Miniflare does not run schedules. */
    runCron: async () => (await current().getWorker(nameOf("subscription-api"))).scheduled({ cron: "* * * * *" }),
    dispose: async () => running?.dispose(),
  };
}
