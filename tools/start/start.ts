import { watch } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Log, LogLevel, Miniflare, type MiniflareOptions, type WorkerOptions } from "miniflare";
import { build, isBuilt, WORKERS, type WorkerName, workerNames } from "../build";
import { sentenceOf, ToolError } from "../failures";
import { migrateDatabase } from "../wrangler/migrate-database";
import { bindingsOf, readWorkerSettings } from "../wrangler/worker-settings";
import { root } from "../wrangler/wrangler";
import { hostOf, onPorts, portOf } from "./addresses";
import { listen } from "./listen";
import { shownOf } from "./log-lines";

// npm start: builds what has changed, and runs the three Workers in one Miniflare. PORT moves them; HOST serves other
// devices; STRIPE_SECRET_KEY and STRIPE_PUBLISHABLE_KEY choose Stripe's test mode. --verbose shows all logs. --watch: npm run dev.

/** Sooner than in production, so that nobody waits for an email. */
const CRON_EVERY_MS = 10_000;
/** Several files change at once. */
const SETTLED_AFTER_MS = 200;

let miniflare: Miniflare | undefined;
let isStopping = false;

async function start({ isVerbose, isWatching }: { isVerbose: boolean; isWatching: boolean }): Promise<void> {
  const [port, host] = [portOf(process.env), hostOf(process.env)];
  const testMode = await testModeIn(process.env);
  const optionsOf = (name: WorkerName): WorkerOptions => {
    const { folder, bundle } = WORKERS[name];
    const vars = onPorts(readWorkerSettings(join(root, folder, "wrangler.toml")).vars, port);
    const own = name === "stripe-simulator" ? {} : { ...(host && { HOST: host.name }), ...testMode?.[name] };
    return {
      ...bindingsOf(folder, { ...vars, ...own }),
      modules: [{ type: "ESModule", path: join(root, "build", name, bundle) }],
      // Miniflare itself listens for the first Worker alone, and compresses its pages as Cloudflare does.
      ...(name !== "site" && { unsafeDirectSockets: [{ host: "127.0.0.1", port: 0 }] }),
    };
  };
  const onLine = (line: string) => {
    const shown = isVerbose ? line : shownOf(line);
    if (shown !== undefined && !isStopping) console.log(shown);
  };
  const workers = workerNames.map(optionsOf);
  const nameOf = (name: WorkerName) => String(workers[workerNames.indexOf(name)]?.name);
  // Test mode's database has other prices.
  const state = join(root, testMode ? ".wrangler/state-test-mode" : ".wrangler/state");
  const options: MiniflareOptions = {
    workers,
    host: "127.0.0.1",
    port: 0,
    d1Persist: join(state, "v3/d1"),
    durableObjectsPersist: join(state, "v3/do"),
    log: new ErrorLog(onLine),
    handleRuntimeStdio: (...outputs: NodeJS.ReadableStream[]) => {
      for (const input of outputs) createInterface({ input }).on("line", onLine);
    },
  };
  const addressOf = (name: WorkerName) =>
    name === "site" ? miniflare?.ready : miniflare?.unsafeGetDirectURL(nameOf(name));
  for (const [index, name] of workerNames.entries()) await listen(port + index, host?.ip, async () => addressOf(name));

  const isCurrent = isBuilt();
  console.log(isCurrent ? "Built before, and nothing has changed since." : "Building …");
  if (!isCurrent) await build();
  if (isStopping) return;
  console.log("Starting the Workers …");
  const running = new Miniflare(options);
  miniflare = running;
  await running.ready;
  stopOnSignals();
  const migrate = async () =>
    migrateDatabase(await running.getD1Database("DB", nameOf("subscription-api"))).catch((error: Error) => {
      throw new ToolError(
        `The local database cannot be migrated (${error.message}): delete ${state}, then start again.`,
      );
    });
  await migrate();
  for (const [index, name] of workerNames.entries()) {
    const response = await fetch(`http://localhost:${port + index}/health`);
    if (!response.ok) throw new ToolError(`The Worker ${name} is not ready: ${await response.text()}`);
  }
  if (testMode) await (await import("../operator")).runCommand(["catalog"]);
  // Miniflare does not run schedules.
  const runCron = async () => (await running.getWorker(nameOf("subscription-api"))).scheduled({ cron: "* * * * *" });
  setInterval(() => void runCron().catch(() => undefined), CRON_EVERY_MS);
  if (isWatching) rebuildOnChange(() => running.setOptions(options).then(migrate));

  const at = (index: number) => `http://${host?.name ?? "localhost"}:${port + index}`;
  console.log(`  mailbox           ${at(2)}/mailbox
  account webhooks  ${at(2)}/console
  Stripe dashboard  ${at(2)}/dashboard`);
  console.log(testMode?.whatIsLeft ?? `  customer portal   ${at(2)}/p/login/test`);
  console.log(`  subscription API  ${at(1)}\nPress Ctrl-C to stop everything.\nReady: open ${at(0)}`);
}

/** Undefined without a key of Stripe's test mode. */
async function testModeIn(environment: NodeJS.ProcessEnv) {
  if (!environment.STRIPE_SECRET_KEY && !environment.STRIPE_PUBLISHABLE_KEY) return undefined;
  const { requireAccess, testModeOf } = await import("./test-mode");
  const testMode = testModeOf(environment);
  await requireAccess(environment);
  return testMode;
}

/** Miniflare's own errors, such as an exception that a Worker did not catch. */
class ErrorLog extends Log {
  constructor(private readonly onLine: (line: string) => void) {
    super(LogLevel.ERROR);
  }
  protected override log(message: string): void {
    message.split("\n").forEach(this.onLine);
  }
}

/** Builds the Worker whose own folder has changed, or all, then calls `reload`; tells of a build that failed. */
function rebuildOnChange(reload: () => Promise<void>): void {
  const changed = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let last = Promise.resolve();
  const rebuild = async () => {
    const paths = [...changed];
    changed.clear();
    const owner = workerNames.find((name) => paths.every((path) => path.startsWith(join("functions", name))));
    const names = owner ? [owner] : workerNames;
    await build(names).then(reload);
    console.log(`Reloaded: ${names.join(", ")}`);
  };
  for (const folder of ["app", "functions"]) {
    watch(join(root, folder), { recursive: true }, (_event, path) => {
      if (path === null || path.includes(".wrangler")) return;
      changed.add(join(folder, path));
      clearTimeout(timer);
      timer = setTimeout(() => {
        last = last.then(rebuild).catch((error: unknown) => console.log(sentenceOf(error)));
      }, SETTLED_AFTER_MS);
    });
  }
}

async function stop(exitCode: number, reason: string): Promise<void> {
  if (isStopping) process.exit(exitCode);
  isStopping = true;
  if (reason !== "") console.log(reason);
  await miniflare?.dispose();
  process.exit(exitCode);
}

/** Removes the handlers of Wrangler's library and Miniflare, which would end this process at once. */
function stopOnSignals(): void {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.removeAllListeners(signal);
    process.on(signal, () => void stop(0, "Stopping …"));
  }
}

stopOnSignals();
// The terminal, or a pipe that reads the output, is closed.
process.stdout.on("error", () => void stop(0, ""));
const flags = { isVerbose: process.argv.includes("--verbose"), isWatching: process.argv.includes("--watch") };
start(flags).catch((error) => stop(1, sentenceOf(error)));
