import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { Log, LogLevel, Miniflare, type SharedOptions, type WorkerOptions } from "miniflare";
import { Agent, setGlobalDispatcher } from "undici";
import { bindingsOf, type Vars } from "../../../tools/wrangler/worker-settings";
import { root } from "../../../tools/wrangler/wrangler";
import { type Address, openAddress } from "./address";
import { databaseAccess, TestDatabase } from "./database-access";

// A connection kept for the next request may have been closed by workerd meanwhile ("other side closed").
setGlobalDispatcher(new Agent({ pipelining: 0 }));

export type RunningWorker = {
  /** Its origin, without a slash at the end. */
  url: string;
  mf: Miniflare;
  /** Its D1 database, where it has one. */
  database: TestDatabase;
  /** What it logged as lines of JSON, in order. */
  logs: Record<string, unknown>[];
  /** Every line that it wrote, JSON or not. */
  output: string[];
  /** Output of Miniflare itself, such as the email binding's. */
  said: string[];
  dispose: () => Promise<void>;
};

/** A module in front of the built one, which it imports as "./worker.js", and services that it can call. */
export type Wrapper = { script: string; services?: Record<string, (request: Request) => Response | Promise<Response>> };

export type WorkerPlan = {
  /** The folder of wrangler.toml, from the root of the repository. */
  folder: string;
  /** The folder under build/ and its entry. */
  bundle: string;
  /** The environment of wrangler.toml; local development when absent. */
  environment?: "production";
  vars?: Vars;
  /** Where it is reached; a new one when absent. */
  address?: Address;
  /** Folder of D1 and Durable Objects; in memory when absent. */
  persist?: string;
  wrapper?: Wrapper;
  /** The folder of static files, if not the one in wrangler.toml. */
  files?: string;
  /** Miniflare's options, which override wrangler.toml. */
  miniflare?: Partial<SharedOptions & WorkerOptions>;
  /** A Worker beside it, which it can bind to by its name in wrangler.toml; its own port and so on do not count. */
  beside?: WorkerPlan;
};

/** Starts a built Worker in a Miniflare of its own, with the bindings of its wrangler.toml. What `npm run build` wrote runs. */
export async function startWorker(plan: WorkerPlan): Promise<RunningWorker> {
  const { persist, beside } = plan;
  const address = plan.address ?? (await openAddress());
  const workers = await Promise.all([plan, ...(beside ? [beside] : [])].map(workerOptionsOf));
  const databaseOwner = workers.find((worker: WorkerOptions) => Object.keys(worker.d1Databases ?? {}).length > 0);
  const [logs, output, said]: [RunningWorker["logs"], string[], string[]] = [[], [], []];
  const mf = new Miniflare({
    workers: databaseOwner ? [...workers, databaseAccess(databaseOwner)] : workers,
    host: "127.0.0.1",
    log: new QuietLog(said),
    unsafeTriggerHandlers: true,
    handleRuntimeStdio: (...streams: Readable[]) => {
      for (const input of streams) {
        createInterface({ input }).on("line", (line) => {
          output.push(line);
          if (line.startsWith("{")) logs.push(JSON.parse(line));
        });
      }
    },
    ...(persist !== undefined && { d1Persist: join(persist, "d1"), durableObjectsPersist: join(persist, "do") }),
  });
  address.leadTo(await mf.ready);
  const dispose = async () => {
    if (!plan.address) address.close();
    await mf.dispose();
  };
  const database = new TestDatabase((name) => mf.unsafeGetDirectURL(name));
  return { url: address.url, mf, database, logs, output, said, dispose };
}

async function workerOptionsOf(plan: WorkerPlan): Promise<WorkerOptions> {
  const { folder, bundle, environment, vars, wrapper, files, miniflare } = plan;
  const bindings = bindingsOf(folder, vars, environment);
  const path = join(root, "build", bundle);
  const modulesRoot = join(path, "..");
  const module = (name: string, contents: string) => ({
    type: "ESModule" as const,
    path: join(modulesRoot, name),
    contents,
  });
  const built = await readFile(path, "utf8");
  return {
    ...bindings,
    ...(files !== undefined && bindings.assets && { assets: { ...bindings.assets, directory: files } }),
    modulesRoot,
    modules: wrapper
      ? [module("wrapper.js", wrapper.script), module("worker.js", built)]
      : [module(basename(path), built)],
    ...(wrapper?.services && { serviceBindings: wrapper.services }),
    ...miniflare,
  };
}

/** Collects Miniflare's output instead of printing it. */
class QuietLog extends Log {
  constructor(private readonly said: string[]) {
    super(LogLevel.INFO);
  }
  protected override log = (message: string) => void this.said.push(message);
}
