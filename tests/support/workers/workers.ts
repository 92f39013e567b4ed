import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { build } from "esbuild";
import { Log, LogLevel, Miniflare, type WorkerOptions } from "miniflare";
import { Agent, setGlobalDispatcher } from "undici";
import * as z from "zod";
import { migrateDatabase } from "../../../tools/wrangler/migrate-database";
import { bindingsOf, type Vars } from "../../../tools/wrangler/worker-settings";
import { root } from "../../../tools/wrangler/wrangler";
import { type Address, openAddress } from "./address";
import { databaseAccess, databaseThrough } from "./database-access";

// Do not reuse connections: workerd may have closed an idle one ("other side closed").
setGlobalDispatcher(new Agent({ pipelining: 0 }));

type WorkerPlan = {
  /** The folder of wrangler.toml, and the path under build/ that `npm run build` wrote. */
  folder: string;
  bundle: string;
  /** The environment in wrangler.toml; local development by default. */
  environment?: "staging";
  /** Override wrangler.toml, as do Miniflare's options. */
  vars?: Vars;
  miniflare?: Partial<WorkerOptions>;
  /** The Worker's address, which outlives it; a new one by default. */
  address?: Address;
  /** The Worker's module, if not the one that `npm run build` wrote. */
  module?: Promise<string>;
  /** A module in front of the built one, which it imports as "./worker.js". */
  wrapper?: { script: string };
  /** The folder of static files, if not the one in wrangler.toml. */
  files?: string;
  /** Another Worker that this one can bind to by its name in wrangler.toml. */
  beside?: WorkerPlan;
};

const SITE = { folder: ".", bundle: "site/site.js" };
export const API = { folder: "functions/subscription-api", bundle: "subscription-api/index.js" };
const SIMULATOR = { folder: "functions/stripe-simulator", bundle: "stripe-simulator/index.js" };

/**
 * Stands before a Worker's code, so that no deadline passes on a busy machine. A timer below three seconds is a pause between two
 * tries. Tests of deadlines run in Node with their own clock.
 */
const WITHOUT_DEADLINES = `{
  const { setTimeout } = globalThis;
  globalThis.setTimeout = (run, ms = 0, ...given) => setTimeout(run, ms < 3_000 ? ms : ms * 1_000, ...given);
  AbortSignal.timeout = () => new AbortController().signal;
}
`;

/** For `expect.poll`: a log line that has not come by then does not come, even on a busy machine. */
export const SOON = { timeout: 10_000 };

export type RunningWorker = Awaited<ReturnType<typeof startWorker>>;

/** Starts a built Worker in a Miniflare of its own, with the bindings of its wrangler.toml. */
async function startWorker(plan: WorkerPlan) {
  const { beside } = plan;
  const address = plan.address ?? (await openAddress());
  // The setting for the Worker's own URL is SITE_URL in the site and PUBLIC_URL in the API.
  const vars = { [plan.folder === "." ? "SITE_URL" : "PUBLIC_URL"]: address.url, ...plan.vars };
  const workers = await Promise.all([{ ...plan, vars }, ...(beside ? [beside] : [])].map(workerOptionsOf));
  const withDatabase = workers.find(({ d1Databases = {} }) => Object.keys(d1Databases).length > 0);
  const logs: Record<string, unknown>[] = [];
  const [output, said]: [string[], string[]] = [[], []];
  const mf = new Miniflare({
    workers: withDatabase ? [...workers, databaseAccess(withDatabase.d1Databases)] : workers,
    host: "127.0.0.1",
    log: new QuietLog(said),
    unsafeTriggerHandlers: true,
    handleRuntimeStdio(...streams: Readable[]) {
      for (const input of streams) {
        createInterface({ input }).on("line", (line) => {
          output.push(line);
          if (line.startsWith("{")) logs.push(JSON.parse(line));
        });
      }
    },
  });
  address.leadTo(await mf.ready);
  return {
    url: address.url,
    mf,
    database: databaseThrough(() => mf.unsafeGetDirectURL("database-access")),
    /** The log lines, all output lines, and Miniflare's own messages, such as emails sent through the binding. */
    logs,
    output,
    said,
    async dispose() {
      if (!plan.address) address.close();
      await mf.dispose();
    },
  };
}

async function workerOptionsOf(plan: WorkerPlan): Promise<WorkerOptions> {
  const { folder, bundle, environment, vars, wrapper, files, miniflare } = plan;
  const bindings = bindingsOf(folder, vars, environment);
  const path = join(root, "build", bundle);
  const modulesRoot = join(path, "..");
  const type = "ESModule" as const;
  const module = (name: string, contents: string) => ({ type, path: join(modulesRoot, name), contents });
  const code = await (plan.module ?? readFile(path, "utf8"));
  const built = module("worker.js", WITHOUT_DEADLINES + code);
  return {
    ...bindings,
    ...(files !== undefined && bindings.assets && { assets: { ...bindings.assets, directory: files } }),
    modulesRoot,
    modules: wrapper ? [module("wrapper.js", wrapper.script), built] : [built],
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

type Options = Partial<WorkerPlan>;
type ApiOptions = Options & { simulatorUrl?: string };

let apiWithCheapPasswords: Promise<string> | undefined;

/** Bundles a Worker whose entry is next to this file. */
async function bundleOf(entry: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, entry)],
    bundle: true,
    write: false,
    format: "esm",
    platform: "neutral",
    external: ["node:*", "cloudflare:*"],
    conditions: ["workerd", "worker", "browser"],
    mainFields: ["module", "main"],
  });
  return outputFiles[0]?.text ?? "";
}

/**
 * The reference subscription API on a migrated database.
 * @param options.simulatorUrl where Stripe, the email provider and the console are
 */
export async function startSubscriptionApi({ simulatorUrl, vars, ...rest }: ApiOptions = {}): Promise<RunningWorker> {
  const services = simulatorUrl !== undefined && {
    STRIPE_API_URL: simulatorUrl,
    MAIL_API_URL: `${simulatorUrl}/emails`,
    CONSOLE_WEBHOOK_URL: `${simulatorUrl}/console/webhook`,
  };
  const all = { ...services, ...vars };
  apiWithCheapPasswords ??= bundleOf("cheap-api.ts");
  const worker = await startWorker({ ...API, module: apiWithCheapPasswords, ...rest, vars: all });
  await migrateDatabase(worker.database);
  return worker;
}

const health = z.object({ complaints: z.array(z.string()) });

/**
 * The Stripe simulator. Disposing of it fails if it got a request with a wrong parameter or path, or failed itself. By default nobody receives its webhooks.
 */
export async function startStripeSimulator({ webhookUrl = "http://127.0.0.1:1" } = {}) {
  const worker = await startWorker({ ...SIMULATOR, vars: { WEBHOOK_URL: webhookUrl } });
  const dispose = async () => {
    const { complaints } = health.parse(await (await fetch(`${worker.url}/health`)).json());
    await worker.dispose();
    if (complaints.length > 0) throw new Error(`Not how Stripe behaves:\n${complaints.join("\n")}`);
  };
  return { ...worker, dispose };
}

export const startSite = (options: Options = {}): Promise<RunningWorker> => startWorker({ ...SITE, ...options });

/** A deployment's origin. Browsers use only https for `.dev` domains, as for every domain on their preload list. */
export const ORIGIN = "https://www.citewell.dev";

/** A deployment's settings that are not in wrangler.toml. */
export const DEPLOYED = {
  STAGE: "staging",
  SITE_URL: ORIGIN,
  CONSOLE_URL: "https://console.site.example",
  CUSTOMER_PORTAL_URL: "https://billing.stripe.com/p/login/test_0123456789",
  SESSION_SECRET: "a-secret-of-the-tests-with-more-than-32-characters",
};

/** A connected simulator and API. */
export async function startBackend(options: ApiOptions = {}) {
  const address = await openAddress();
  const stripe = await startStripeSimulator({ webhookUrl: `${address.url}/webhooks/stripe` });
  const api = await startSubscriptionApi({ simulatorUrl: stripe.url, address, ...options });
  const dispose = async () => {
    address.close();
    await Promise.all([api.dispose(), stripe.dispose()]);
  };
  return { api, stripe, dispose };
}
