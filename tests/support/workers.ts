import { readdir, readFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { Log, LogLevel, Miniflare, type SharedOptions, type WorkerOptions } from "miniflare";
import { unstable_getMiniflareWorkerOptions, unstable_splitSqlQuery } from "wrangler";

/*
 * Starts the built Workers, each in a Miniflare of its own on a free port, with the bindings of its wrangler.toml.
 * What `npm run build` wrote is what runs.
 */

const root = fileURLToPath(new URL("../..", import.meta.url));
const MIGRATIONS = join(root, "functions/subscription-api/migrations");

/** Bindings to set over those of wrangler.toml; `undefined` takes one away. */
export type Vars = Record<string, string | undefined>;

/** A Worker that runs. */
export type RunningWorker = {
  /** Its origin, without a slash at the end. */
  url: string;
  mf: Miniflare;
  /** What it logged as lines of JSON, in order. */
  logs: Record<string, unknown>[];
  /** What Miniflare's own parts said, such as the binding that sends mail. */
  said: string[];
  dispose: () => Promise<void>;
};

/** A module in front of the built one, which it imports as "./worker.js", and services that it can call. */
export type Wrapper = { script: string; services: Record<string, (request: Request) => Response | Promise<Response>> };

type WorkerPlan = {
  /** The folder of wrangler.toml, from the root of the repository. */
  folder: string;
  /** The folder under build/ and its entry. */
  bundle: string;
  vars?: Vars;
  port?: number;
  /** Where D1 and Durable Objects are kept; in memory when absent. */
  persist?: string;
  wrapper?: Wrapper;
  /** Options of Miniflare to set over those of wrangler.toml. */
  miniflare?: Partial<SharedOptions & WorkerOptions>;
};

/**
 * The reference subscription API on a migrated database.
 * @param options.simulatorUrl where Stripe, the mail provider and the console are
 * @param options.bundle another build of it, under build/
 */
export async function startSubscriptionApi(
  options: {
    simulatorUrl?: string;
    bundle?: string;
    vars?: Vars;
    port?: number;
    persist?: string;
    wrapper?: Wrapper;
    miniflare?: Partial<SharedOptions & WorkerOptions>;
  } = {},
): Promise<RunningWorker> {
  const { simulatorUrl, vars, ...rest } = options;
  const worker = await start({
    folder: "functions/subscription-api",
    bundle: "subscription-api/index.js",
    vars: {
      ...(simulatorUrl !== undefined && {
        STRIPE_API_URL: simulatorUrl,
        MAIL_API_URL: `${simulatorUrl}/emails`,
        CONSOLE_WEBHOOK_URL: `${simulatorUrl}/console/webhook`,
      }),
      ...vars,
    },
    ...rest,
  });
  await migrate(await worker.mf.getD1Database("DB"));
  return worker;
}

/** The Stripe simulator; its webhooks go to `webhookUrl`. */
export function startStripeSimulator(
  options: { webhookUrl?: string; vars?: Vars; port?: number; persist?: string } = {},
): Promise<RunningWorker> {
  const { webhookUrl, vars, ...rest } = options;
  return start({
    folder: "functions/stripe-simulator",
    bundle: "stripe-simulator/index.js",
    vars: { ...(webhookUrl !== undefined && { WEBHOOK_URL: webhookUrl }), ...vars },
    ...rest,
  });
}

/**
 * The site; its SITE_URL is the address that it gets.
 * @param options.bundle another build of it, under build/
 * @param options.rateLimits `as configured` in wrangler.toml; otherwise so high that no test meets them
 */
export async function startSite(
  options: {
    vars?: Vars;
    port?: number;
    rateLimits?: "as configured";
    bundle?: string;
    miniflare?: Partial<SharedOptions & WorkerOptions>;
  } = {},
): Promise<RunningWorker> {
  const port = options.port ?? (await freePort());
  const unlimited = { simple: { limit: 1_000_000, period: 60 } };
  return start({
    folder: ".",
    bundle: options.bundle ?? "site/site.js",
    vars: { SITE_URL: `http://localhost:${port}`, ...options.vars },
    port,
    miniflare: {
      ...(options.rateLimits === undefined && {
        ratelimits: { SIGNUP_RATE_LIMIT: unlimited, CSP_REPORT_RATE_LIMIT: unlimited },
      }),
      ...options.miniflare,
    },
  });
}

/** A simulator and an API that know each other. */
export async function startBackend(options: { bundle?: string } = {}): Promise<{
  api: RunningWorker;
  stripe: RunningWorker;
  dispose: () => Promise<void>;
}> {
  const port = await freePort();
  const stripe = await startStripeSimulator({ webhookUrl: `http://localhost:${port}/webhooks/stripe` });
  const api = await startSubscriptionApi({ simulatorUrl: stripe.url, port, ...options });
  return {
    api,
    stripe,
    dispose: async () => {
      await Promise.all([api.dispose(), stripe.dispose()]);
    },
  };
}

/** A TCP port that nothing listens on. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      const port = typeof address === "object" && address !== null ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}

async function start({
  folder,
  bundle,
  vars = {},
  port,
  persist,
  wrapper,
  miniflare,
}: WorkerPlan): Promise<RunningWorker> {
  const bundlePath = join(root, "build", bundle);
  const { workerOptions } = unstable_getMiniflareWorkerOptions(join(root, folder, "wrangler.toml"));
  const bindings = Object.entries({ ...workerOptions.bindings, ...vars }).filter(([, value]) => value !== undefined);
  const options: WorkerOptions = {
    ...workerOptions,
    bindings: Object.fromEntries(bindings),
    ...modulesOf(bundlePath, await readFile(bundlePath, "utf8"), wrapper),
  };
  const logs: RunningWorker["logs"] = [];
  const said: string[] = [];
  const mf = new Miniflare({
    ...options,
    host: "127.0.0.1",
    port: port ?? (await freePort()),
    log: new QuietLog(said),
    handleRuntimeStdio: (...streams: Readable[]) => {
      for (const input of streams) {
        createInterface({ input }).on("line", (line) => line.startsWith("{") && logs.push(JSON.parse(line)));
      }
    },
    ...miniflare,
    ...(persist !== undefined && { d1Persist: join(persist, "d1"), durableObjectsPersist: join(persist, "do") }),
  });
  const { port: boundPort } = await mf.ready;
  return { url: `http://localhost:${boundPort}`, mf, logs, said, dispose: () => mf.dispose() };
}

/** Keeps what Miniflare says instead of showing it. */
class QuietLog extends Log {
  constructor(private readonly said: string[]) {
    super(LogLevel.INFO);
  }
  protected override log(message: string): void {
    this.said.push(message);
  }
}

function modulesOf(bundlePath: string, contents: string, wrapper?: Wrapper) {
  const modulesRoot = join(bundlePath, "..");
  const built = { type: "ESModule", path: wrapper ? join(modulesRoot, "worker.js") : bundlePath, contents };
  const outer = { type: "ESModule", path: join(modulesRoot, "wrapper.js"), contents: wrapper?.script };
  return {
    modules: wrapper ? [outer, built] : [built],
    modulesRoot,
    ...(wrapper && { serviceBindings: wrapper.services }),
  };
}

/** Runs the cron handler once, as Cloudflare does each minute. */
export async function runScheduled({ mf }: RunningWorker): Promise<void> {
  const worker = await mf.getWorker();
  await worker.scheduled({ cron: "* * * * *" });
}

/** Applies the migrations that a database lacks, and keeps the same record of them as `wrangler d1 migrations apply`. */
export async function migrate(db: D1Database, folder = MIGRATIONS): Promise<void> {
  await db
    .prepare(
      `CREATE TABLE IF NOT EXISTS d1_migrations (
         id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE,
         applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL)`,
    )
    .run();
  const applied = await db.prepare("SELECT name FROM d1_migrations").all<{ name: string }>();
  const known = new Set(applied.results.map(({ name }) => name));
  for (const file of (await readdir(folder)).filter((name) => name.endsWith(".sql")).sort()) {
    if (known.has(file)) continue;
    const statements = unstable_splitSqlQuery(await readFile(join(folder, file), "utf8"));
    await db.batch([
      ...statements.map((statement) => db.prepare(statement)),
      db.prepare("INSERT INTO d1_migrations (name) VALUES (?)").bind(file),
    ]);
  }
}
