import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Log, Miniflare, type MiniflareOptions, NoOpLog, type WorkerOptions } from "miniflare";
import { WORKERS, type WorkerName, workerNames } from "../build";
import { ToolError } from "../failures";
import { migrateDatabase } from "../wrangler/migrate-database";
import { bindingsOf, type Vars } from "../wrangler/worker-settings";
import { root } from "../wrangler/wrangler";
import { liveReloadModule } from "./live-reload";
import { DISK_IS_FULL } from "./state-folder";

export type RunningWorkers = Awaited<ReturnType<typeof runWorkers>>;

type Options = {
  /** Read again at each reload. */
  varsOf: (name: WorkerName) => Vars;
  /** The folder of the database and the simulator's objects. */
  state: string;
  isVerbose: boolean;
  /** True if open pages reload when the Workers do, and debuggers may connect. */
  isDevelopment: boolean;
  /** Called with each line that a Worker logs. */
  onLine: (line: string) => void;
};

/** Applies new migrations and runs the built Workers in one Miniflare. Throws ToolError if a migration fails. */
export async function runWorkers({ varsOf, state, isVerbose, isDevelopment, onLine }: Options) {
  const optionsOf = (name: WorkerName): WorkerOptions => {
    const { folder, bundle } = WORKERS[name];
    const path = join(root, "build", name, bundle);
    const built = { type: "ESModule" as const, path };
    const wrapped = () => [
      {
        type: built.type,
        path: join(root, "build", name, "live-reload.js"),
        contents: liveReloadModule(`./${bundle}`, String(Date.now())),
      },
      { ...built, contents: readFileSync(path, "utf8") },
    ];
    return {
      ...bindingsOf(folder, varsOf(name)),
      modulesRoot: join(root, "build", name),
      modules: name === "site" && isDevelopment ? wrapped() : [built],
      unsafeInspectorProxy: isDevelopment,
      // Miniflare itself listens only for the first Worker, and compresses its pages as Cloudflare does.
      ...(name !== "site" && { unsafeDirectSockets: [{ host: "127.0.0.1", port: 0 }] }),
    };
  };
  const options = (workers = workerNames.map(optionsOf)): MiniflareOptions => ({
    workers,
    host: "127.0.0.1",
    port: 0,
    ...(isDevelopment && { inspectorPort: 0, inspectorHost: "127.0.0.1" }),
    d1Persist: join(state, "v3/d1"),
    durableObjectsPersist: join(state, "v3/do"),
    log: isVerbose ? new Log() : new NoOpLog(),
    handleRuntimeStdio: (...outputs: NodeJS.ReadableStream[]) => {
      for (const input of outputs) createInterface({ input }).on("line", onLine);
    },
  });
  const first = workerNames.map(optionsOf);
  const nameOf = (name: WorkerName) => String(first[workerNames.indexOf(name)]?.name);

  const miniflare = new Miniflare(options(first));
  const migrate = async () =>
    migrateDatabase(await miniflare.getD1Database("DB", nameOf("subscription-api"))).catch((error: Error) => {
      if (/SQLITE_FULL|ENOSPC|disk is full|No space left/i.test(error.message)) throw new ToolError(DISK_IS_FULL);
      throw new ToolError(
        `The local database cannot be migrated (${error.message}): delete ${state}, then start again.`,
      );
    });
  await miniflare.ready;
  await migrate();
  return {
    addressOf: (name: WorkerName): Promise<URL> =>
      name === "site" ? miniflare.ready : miniflare.unsafeGetDirectURL(nameOf(name)),
    debuggerAddress: () => miniflare.getInspectorURL(),
    /** Reloads the builds, the settings and the static files. */
    async reload(): Promise<void> {
      await miniflare.setOptions(options());
      await migrate();
    },
    /** Miniflare does not run schedules. */
    runCron: async () => (await miniflare.getWorker(nameOf("subscription-api"))).scheduled({ cron: "* * * * *" }),
    dispose: () => miniflare.dispose(),
  };
}
