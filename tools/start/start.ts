import { join } from "node:path";
import { Miniflare, type MiniflareOptions, type WorkerOptions } from "miniflare";
import { build, isBuilt, WORKERS, type WorkerName, workerNames } from "../build";
import { sentenceOf, ToolError } from "../failures";
import { bindingsOf } from "../wrangler/built-worker";
import { migrateDatabase } from "../wrangler/migrate-database";
import { readWorkerSettings } from "../wrangler/worker-settings";
import { root } from "../wrangler/wrangler";
import { hostOf, onPorts, portsOf } from "./addresses";
import { listen } from "./listen";
import { logOptions, shownOf } from "./log-lines";
import { watchSources } from "./watch";

// npm start: builds what has changed, and runs the three Workers in one Miniflare. PORT moves them; HOST serves other
// devices; STRIPE_SECRET_KEY and STRIPE_PUBLISHABLE_KEY choose Stripe's test mode. --verbose shows all logs. --watch: npm run dev.

/** Sooner than in production, so that nobody waits for an email. */
const CRON_EVERY_MS = 10_000;
const READY_WITHIN_MS = 30_000;

const [isVerbose, isWatching] = [process.argv.includes("--verbose"), process.argv.includes("--watch")];
let miniflare: Miniflare | undefined;
let isStopping = false;

async function start(): Promise<void> {
  const [ports, host] = [portsOf(process.env), hostOf(process.env)];
  const testMode = await testModeOf(process.env);
  // Test mode's database has other prices.
  const state = join(root, testMode ? ".wrangler/state-test-mode" : ".wrangler/state");
  const optionsOf = (name: WorkerName): WorkerOptions => {
    const { folder, bundle } = WORKERS[name];
    const vars = onPorts(readWorkerSettings(join(root, folder, "wrangler.toml")).vars, ports);
    const ofHost = host && name !== "stripe-simulator" ? { HOST: host.name } : {};
    return {
      ...bindingsOf(folder, { ...vars, ...ofHost, ...(name !== "stripe-simulator" && testMode?.[name]) }),
      modules: [{ type: "ESModule", path: join(root, "build", name, bundle) }],
      // Miniflare itself listens for the first Worker alone, and compresses its pages as Cloudflare does.
      ...(name !== "site" && { unsafeDirectSockets: [{ host: "127.0.0.1", port: 0 }] }),
      unsafeInspectorProxy: isWatching,
    };
  };
  const [site, api, simulator] = [optionsOf("site"), optionsOf("subscription-api"), optionsOf("stripe-simulator")];
  const options: MiniflareOptions = {
    workers: [site, api, simulator],
    host: "127.0.0.1",
    port: 0,
    ...(isWatching && { inspectorPort: ports.site + 1000 }),
    d1Persist: join(state, "v3/d1"),
    durableObjectsPersist: join(state, "v3/do"),
    ...logOptions((line) => {
      const shown = isVerbose ? line : shownOf(line);
      if (shown !== undefined && !isStopping) console.log(shown);
    }),
  };
  let begin = (_: Miniflare) => {};
  const begun = new Promise<Miniflare>((resolve) => {
    begin = resolve;
  });
  await listen(ports.site, host?.ip, async () => (await begun).ready);
  await listen(ports["subscription-api"], host?.ip, async () => (await begun).unsafeGetDirectURL(api.name));
  await listen(ports["stripe-simulator"], host?.ip, async () => (await begun).unsafeGetDirectURL(simulator.name));

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
    migrateDatabase(await running.getD1Database("DB", String(api.name))).catch((error: Error) => {
      throw new ToolError(
        `The local database cannot be migrated (${error.message}): delete ${state}, then start again.`,
      );
    });
  await migrate();
  begin(running);
  for (const name of workerNames) await requireHealth(name, `http://localhost:${ports[name]}`);
  if (testMode) await (await import("../operator")).runCommand(["catalog"]);
  // Miniflare does not run schedules.
  const runCron = async () => (await running.getWorker(String(api.name))).scheduled({ cron: "* * * * *" });
  setInterval(() => void runCron().catch(() => undefined), CRON_EVERY_MS);
  if (isWatching) watchSources(() => running.setOptions(options).then(migrate));

  const at = (name: WorkerName) => `http://${host?.name ?? "localhost"}:${ports[name]}`;
  const pages = { mailbox: "/mailbox", "account webhooks": "/console", "Stripe dashboard": "/dashboard" };
  const portal = testMode ? {} : { "customer portal": "/p/login/test" };
  for (const [title, path] of Object.entries({ ...pages, ...portal })) {
    console.log(`  ${title.padEnd(17)} ${at("stripe-simulator")}${path}`);
  }
  console.log(`  ${"subscription API".padEnd(17)} ${at("subscription-api")}`);
  if (testMode) console.log(testMode.whatIsLeft);
  if (isWatching) console.log(`Changes are rebuilt. The debugger listens on port ${ports.site + 1000}.`);
  console.log(`Press Ctrl-C to stop everything.\nReady: open ${at("site")}`);
}

async function testModeOf(environment: NodeJS.ProcessEnv) {
  if (!environment.STRIPE_SECRET_KEY && !environment.STRIPE_PUBLISHABLE_KEY) return undefined;
  const { requireAccess, testModeOf } = await import("./test-mode");
  const testMode = testModeOf(environment);
  await requireAccess(environment);
  return testMode;
}

async function requireHealth(name: WorkerName, url: string): Promise<void> {
  const deadline = Date.now() + READY_WITHIN_MS;
  for (let last = "no answer"; ; ) {
    const response = await fetch(`${url}/health`).catch(() => undefined);
    if (response?.ok) return;
    if (response) last = `${response.status} ${await response.text()}`;
    if (Date.now() >= deadline) throw new ToolError(`The Worker ${name} at ${url} is not ready: ${last}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
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
start().catch((error) => stop(1, sentenceOf(error)));
