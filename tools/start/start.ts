import { join } from "node:path";
import { buildWhatChanged, workerNames } from "../build";
import { readOptionsOrExit } from "../command-line";
import { messageOf } from "../failures";
import { setLocalPrices } from "../releases/prices";
import { root } from "../wrangler/wrangler";
import { choicesOf } from "./choices";
import { endWorkerdWithThisProcess } from "./end-workerd-with-parent";
import { shownOf } from "./log-lines";
import { createProxy } from "./proxy";
import { LoadError, type LocalWorkers, localWorkers } from "./run-workers";
import { makeWritable, stateFolderOf } from "./state-folder";
import { untilWell } from "./until-well";

// npm start: builds all Workers if a source has changed, and runs the three Workers in one Miniflare. Variables: PORT moves the Workers; HOST serves
// other devices; STRIPE_SECRET_KEY and STRIPE_PUBLISHABLE_KEY switch to Stripe's test mode; any setting can be set by its name.
// --verbose shows all logs. npm run dev uses --watch.

/** More often than in production, so that nobody waits for an email. */
const CRON_EVERY_MS = 10_000;

const isWatching = process.argv[2] === "--watch";
const args = process.argv.slice(isWatching ? 3 : 2);
const { switches } = readOptionsOrExit(isWatching ? "dev" : "start", { verbose: "" }, args);

let workers: LocalWorkers | undefined;
let isStopping = false;

/** Not while it stops, when all that was under way fails. */
function say(line: string): void {
  if (!isStopping) console.log(line);
}

async function start({ isVerbose, isWatching }: { isVerbose: boolean; isWatching: boolean }): Promise<void> {
  const { port, host, testMode, varsOf } = await choicesOf(process.env);
  const state = stateFolderOf(port, testMode !== undefined);
  for (const folder of [state, join(root, "build")]) makeWritable(folder);
  const onLine = (line: string) => {
    const shown = isVerbose ? line : shownOf(line, isWatching);
    if (shown !== undefined) say(shown);
  };

  const proxy = createProxy();
  const local = localWorkers({ varsOf, state, isVerbose, isDevelopment: isWatching, onLine });
  workers = local;
  for (const [index, name] of workerNames.entries())
    await proxy.listen(port + index, host?.ip, async () => local.addressOf(name));
  const debuggerPort = port + workerNames.length;
  // Only this machine may debug.
  if (isWatching) await proxy.listen(debuggerPort, undefined, local.debuggerAddress);

  const building = isWatching ? await startBuilding() : undefined;
  if (!isWatching) await buildWhatChanged();
  if (isStopping) return;
  say("Starting the Workers …");
  endWorkerdWithThisProcess();
  async function load(): Promise<void> {
    await local.load().finally(proxy.release);
    stopOnSignals();
    for (const [index, name] of workerNames.entries()) await untilWell(name, `http://localhost:${port + index}/health`);
    await setLocalPrices();
  }
  await load().catch((error) => {
    // While a developer fixes it, the browser shows it too.
    if (!(isWatching && error instanceof LoadError)) throw error;
    say(error.message);
  });
  setInterval(() => void local.runCron().catch(() => undefined), CRON_EVERY_MS);
  building?.onBuilt(async () => {
    await proxy.hold();
    await load();
  });

  const at = (index: number) => `http://${host?.name ?? "localhost"}:${port + index}`;
  say(`  mailbox           ${at(2)}/mailbox
  account webhooks  ${at(2)}/console
  Stripe dashboard  ${at(2)}/dashboard`);
  say(testMode?.whatIsLeft ?? `  customer portal   ${at(2)}/p/login/test`);
  if (isWatching) say(`  debugger          localhost:${debuggerPort}`);
  say(`  subscription API  ${at(1)}\nPress Ctrl-C to stop everything.\nReady: open ${at(0)}`);
}

async function startBuilding() {
  say("Building …");
  return (await import("./rebuild")).startBuilding(say);
}

async function stop(exitCode: number, reason: string): Promise<void> {
  if (isStopping) process.exit(exitCode);
  isStopping = true;
  if (reason !== "") console.log(reason);
  await workers?.dispose().catch(() => undefined);
  process.exit(exitCode);
}

/** Replaces the signal handlers of Wrangler's library and Miniflare, which would end this process immediately. */
function stopOnSignals(): void {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.removeAllListeners(signal);
    process.on(signal, () => void stop(0, "Stopping …"));
  }
}

stopOnSignals();
// The terminal, or the pipe that reads the output, was closed.
process.stdout.on("error", () => void stop(0, ""));
start({ isVerbose: switches.has("verbose"), isWatching }).catch((error) => {
  if (!isStopping) void stop(1, messageOf(error));
});
