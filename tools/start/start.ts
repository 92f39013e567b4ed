import { join } from "node:path";
import type { MiniflareOptions, WorkerOptions } from "miniflare";
import { sentenceOf, ToolError } from "../failures";
import { bindingsOf } from "../wrangler/built-worker";
import { readWorkerSettings } from "../wrangler/worker-settings";
import { root } from "../wrangler/wrangler";
import { migrate, step } from "./build";
import { listen } from "./listen";
import { withLiveReload } from "./live-reload";
import { hostOf, inspectorPort, onPorts, type Ports, portsOf, requireFreePort } from "./ports";
import { atStop, isStopping, stopAll } from "./processes";
import { runWorker } from "./run-worker";
import { watchSources } from "./watch";
import { damagedSentence, saysDamaged, showCount, shownOf, withPlaces } from "./worker-lines";

// PORT moves the site, and API and simulator with it. HOST=0.0.0.0, or this machine's name, serves other devices too.

const workers = [
  { name: "stripe-simulator", title: "Stripe simulator", folder: "functions/stripe-simulator", bundle: "index.js" },
  { name: "subscription-api", title: "subscription API", folder: "functions/subscription-api", bundle: "index.js" },
  { name: "site", title: "site", folder: ".", bundle: "site.js" },
] as const;

const pages = [
  { title: "mailbox", path: "/mailbox" },
  { title: "customer portal", path: "/p/login/test" },
  { title: "account webhooks", path: "/console" },
  { title: "Stripe dashboard", path: "/dashboard" },
  { title: "funnel", path: "/funnel" },
];

/** Sooner than in production, so that nobody waits for an email. */
const CRON_EVERY_MS = 10_000;
const READY_WITHIN_MS = 90_000;
const DATABASE_WELL_WITHIN_MS = 5_000;
const isVerbose = process.argv.includes("--verbose");

async function main(isWatching: boolean): Promise<void> {
  const ports = portsOf(process.env);
  const host = hostOf(process.env);
  // Before everything else, so that invalid TOML is named at once.
  const vars = workers.map(({ folder }) => readWorkerSettings(join(root, folder, "wrangler.toml")).vars);
  const testMode = await readTestMode();
  // Test mode's database has other prices.
  const state = join(root, testMode ? ".wrangler/state-test-mode" : ".wrangler/state");
  for (const { name, title } of workers) await requireFreePort(ports[name], title);

  console.log("Migrating the local database …");
  await migrate(state, isVerbose);
  console.log("Building …");
  for (const { name } of [...workers].reverse()) await step("npm", ["run", "--silent", `build:${name}`], isVerbose);

  console.log("Starting the Workers …");
  const started = [];
  for (const [index, worker] of workers.entries()) {
    const { name, folder, bundle } = worker;
    const settings = {
      ...onPorts(vars[index] ?? {}, ports),
      ...(host && name !== "stripe-simulator" && { HOST: host.name }),
      ...testMode?.settingsOf(name),
    };
    const options = async (): Promise<MiniflareOptions> => {
      const built: WorkerOptions = {
        ...bindingsOf(folder, settings),
        modules: [{ type: "ESModule", path: join(root, "build", name, bundle) }],
        // The debugger sees this Worker alone, and none of Miniflare's own.
        unsafeInspectorProxy: isWatching,
      };
      return {
        ...(isWatching && name === "site" ? withLiveReload(built) : built),
        host: "127.0.0.1",
        port: 0,
        ...(isWatching && { inspectorPort: inspectorPort(ports[name]) }),
        d1Persist: join(state, "v3/d1"),
        durableObjectsPersist: join(state, "v3/do"),
        unsafeTriggerHandlers: true,
      };
    };
    const show = (line: string) => console.log(`${name.padEnd(16)} │ ${line}`);
    const running = await runWorker(
      options,
      (line) => {
        if (isStopping()) return;
        if (saysDamaged(line)) return void stopAll(1, damagedSentence(state));
        void showCount(line, local(ports["stripe-simulator"]));
        const shown = isVerbose ? line : shownOf(line);
        if (shown) show(withPlaces(shown));
      },
      (isRestarted) => {
        if (isRestarted) show("stopped unexpectedly; starting again");
        else void stopAll(1, `${name} stopped unexpectedly.`);
      },
    );
    atStop(running.dispose);
    await listen(ports[name], host?.ip, running);
    stopOnSignals();
    await answers(worker, ports, state);
    started.push({ name, folder, running });
  }
  await testMode?.setPrices();
  // Miniflare does not run schedules.
  const cron = `${local(ports["subscription-api"])}/cdn-cgi/handler/scheduled`;
  setInterval(() => fetch(cron).catch(() => {}), CRON_EVERY_MS);
  if (isWatching) await watchSources(started);

  const at = (name: keyof Ports) => `http://${host?.name ?? "localhost"}:${ports[name]}`;
  const shown = testMode ? pages.filter(({ title }) => title !== "customer portal") : pages;
  for (const { title, path } of shown) console.log(`  ${title.padEnd(17)} ${at("stripe-simulator")}${path}`);
  console.log(`  ${"subscription API".padEnd(17)} ${at("subscription-api")}`);
  console.log(`  ${"operator's page".padEnd(17)} ${at("subscription-api")}/operator`);
  if (testMode) console.log(testMode.whatIsLeft(testMode.settings));
  if (isWatching)
    console.log(`  ${"debugger".padEnd(17)} ports ${workers.map(({ name }) => inspectorPort(ports[name])).join(", ")}`);
  console.log(`${isWatching ? "Changes are rebuilt, and pages load again. " : ""}Press Ctrl-C to stop everything.`);
  console.log(`Ready: open ${at("site")}`);
}

const local = (port: number) => `http://localhost:${port}`;

async function readTestMode() {
  const { STRIPE_SECRET_KEY, STRIPE_PUBLISHABLE_KEY } = process.env;
  if (!STRIPE_SECRET_KEY && !STRIPE_PUBLISHABLE_KEY) return undefined;
  const tools = await import("./test-mode");
  const settings = tools.testModeOf(process.env);
  await tools.requireAccess(process.env);
  const settingsOf = (name: string) =>
    name === "site" ? settings?.site : name === "subscription-api" && settings?.api;
  return settings && { ...tools, settings, settingsOf };
}

/** Waits until the Worker's health check passes. */
async function answers({ title, name }: (typeof workers)[number], ports: Ports, state: string): Promise<void> {
  const started = Date.now();
  let last = "no answer";
  while (Date.now() - started < READY_WITHIN_MS) {
    const response = await fetch(`${local(ports[name])}/health`).catch(() => undefined);
    if (response?.ok) return;
    if (response) last = `${response.status} ${await response.text()}`;
    if (last.includes('"DB"') && Date.now() - started > DATABASE_WELL_WITHIN_MS) {
      throw new ToolError(damagedSentence(state));
    }
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
  throw new ToolError(`The ${title} on port ${ports[name]} is not ready: ${last}`);
}

/** Removes the handlers of Wrangler's library and Miniflare, which would end this process at once. */
function stopOnSignals(): void {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.removeAllListeners(signal);
    process.on(signal, () => void stopAll(0, "Stopping …"));
  }
}

stopOnSignals();
// The terminal, or a pipe that reads the output, is closed.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => void stopAll(0, ""));
main(process.argv.includes("--watch")).catch((error) => stopAll(1, sentenceOf(error)));
