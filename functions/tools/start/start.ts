import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { sentenceOf, ToolError } from "../failures";
import { readWorkerSettings } from "../worker-settings";
import { root, wrangler } from "../wrangler";
import { showCount } from "./local-funnel";
import { damagedFile, damagedSentence, saysDamaged } from "./local-state";
import { onPorts, type Ports, portsOf, requireFreePort } from "./ports";
import { isStopping, keepRunning, onParentKilled, removeAtEnd, runStep, stopAll } from "./processes";
import { startProgress } from "./progress";

// `npm start`: builds, migrates and runs the three Workers until Ctrl-C. `npm run dev` (--watch) also rebuilds changes.
// `-- --verbose` shows all that Wrangler and the Workers write. PORT moves the site; API and simulator follow it.
// With STRIPE_SECRET_KEY and STRIPE_PUBLISHABLE_KEY, Stripe's test mode takes the simulator's place.

const remix = join(root, "node_modules/@remix-run/dev/dist/cli.js");

/** In starting order. */
const workers = [
  { name: "stripe-simulator", title: "Stripe simulator", folder: "functions/stripe-simulator" },
  { name: "subscription-api", title: "subscription API", folder: "functions/subscription-api" },
  { name: "site", title: "site", folder: "." },
] as const;

/** Of the simulator. */
const pages = [
  { title: "mailbox", path: "/mailbox" },
  { title: "customer portal", path: "/p/login/test" },
  { title: "account webhooks", path: "/console" },
  { title: "Stripe dashboard", path: "/dashboard" },
  { title: "funnel", path: "/funnel" },
];

/** Sooner than in production, so that nobody waits for a mail. */
const CRON_EVERY_MS = 10_000;
const READY_WITHIN_MS = 90_000;
/** How long the API may call its database unwell, which was migrated just before. */
const DATABASE_WELL_WITHIN_MS = 5_000;
/** Of a Worker that ends by itself. */
const LINES_AT_THE_END = 40;
const isVerbose = process.argv.includes("--verbose");

const at = (port: number) => `http://localhost:${port}`;

const progress = startProgress();
let state = join(root, ".wrangler/state");

async function main(watch: boolean): Promise<void> {
  const ports = portsOf(process.env);
  const moved = Object.fromEntries(workers.map(({ name, folder }) => [name, movedVars(folder, ports)]));
  const testMode = await readTestMode();
  // Its database has other prices.
  if (testMode) state = join(root, ".wrangler/state-test-mode");
  for (const { name, title } of workers) await requireFreePort(ports[name], title);
  const damaged = await damagedFile(state);
  if (damaged) throw new ToolError(damagedSentence(state, damaged));

  progress.begin("Migrating the local database");
  const database = ["d1", "migrations", "apply", "DB", "--local", "--persist-to", state];
  await step(process.execPath, [wrangler, ...database, "--cwd", "functions/subscription-api", "--env="]);
  progress.begin("Building");
  for (const { name, title } of [...workers].reverse()) {
    progress.begin(`Building the ${title}`, true);
    await step("npm", ["run", "--silent", `build:${name}`]);
  }

  progress.begin("Starting the Workers");
  if (watch) {
    // The compiler's own files in place of those of bundle-browser.ts, which are only made for a release.
    await writeFile(join(root, "build/server.js"), 'export * from "./index.js";\n');
    run("remix", [remix, "watch"]);
  }
  const files = await testMode?.environmentFilesOf(testMode.settings);
  if (files) removeAtEnd(files.folder);
  // One after the other: workerd ends when another one has a file of the shared state locked.
  for (const worker of workers) {
    const { name, title, folder } = worker;
    const port = String(ports[name]);
    const options = ["--cwd", folder, "--port", port, "--persist-to", state, "--inspector-port", "0"];
    if (name !== "stripe-simulator") options.push("--env=");
    if (watch && name === "site") options.push("--define", 'process.env.NODE_ENV:"development"');
    if (files && name !== "stripe-simulator") options.push("--env-file", files[name]);
    for (const [key, value] of moved[name] ?? []) {
      if (!(testMode && key in testMode.settingsOf(name))) options.push("--var", `${key}:${value}`);
    }
    progress.begin(`Starting the ${title}`, true);
    run(name, [wrangler, "dev", ...options], (line) => void showCount(line, at(ports["stripe-simulator"])));
    await answers(worker, ports);
  }
  await testMode?.setPrices();
  setInterval(() => callCronHandler(ports), CRON_EVERY_MS);
  progress.end();
  const shown = testMode ? pages.filter(({ title }) => title !== "customer portal") : pages;
  for (const { title, path } of shown) progress.print(`  ${title.padEnd(17)} ${at(ports["stripe-simulator"])}${path}`);
  progress.print(`  ${"subscription API".padEnd(17)} ${at(ports["subscription-api"])}`);
  progress.print(`  ${"operator's page".padEnd(17)} ${at(ports["subscription-api"])}/operator`);
  if (testMode) progress.print(testMode.whatIsLeft(testMode.settings));
  progress.print(`${watch ? "Changes are rebuilt. " : ""}Ctrl-C stops all.`);
  progress.print(`Ready: open ${at(ports.site)}`);
}

/** The variables of a Worker whose URLs are on other ports than wrangler.toml says. */
function movedVars(folder: string, ports: Ports): [string, unknown][] {
  const { vars } = readWorkerSettings(join(root, folder, "wrangler.toml"));
  return Object.entries(onPorts(vars, ports)).filter(([name, value]) => value !== vars[name]);
}

/** Undefined where no key is set; the simulator then is Stripe. */
async function readTestMode() {
  const { STRIPE_SECRET_KEY, STRIPE_PUBLISHABLE_KEY } = process.env;
  if (!STRIPE_SECRET_KEY && !STRIPE_PUBLISHABLE_KEY) return undefined;
  const tools = await import("../test-mode");
  const settings = tools.testModeOf(process.env);
  await tools.requireAccess(process.env);
  const settingsOf = (name: string) => (name === "site" ? settings?.site : settings?.api) ?? {};
  return settings && { ...tools, settings, settingsOf };
}

/** Runs a command to its end. Of its output only what is wrong is shown. */
async function step(command: string, args: string[]): Promise<void> {
  let isDamaged = false;
  const look = (line: string) => {
    isDamaged ||= saysDamaged(line);
    if (isVerbose) progress.print(line);
  };
  await runStep(command, args, look).catch((error: unknown) => {
    throw isDamaged ? new ToolError(damagedSentence(state)) : error;
  });
}

/** Runs a command that does not end; when it does, everything stops. Of its output what needs attention is shown. */
function run(name: string, args: string[], onLine: (line: string) => void = () => {}): void {
  const last: string[] = [];
  keepRunning(args, {
    line(line) {
      if (saysDamaged(line)) return void stop(1, damagedSentence(state));
      onLine(line);
      last.push(line);
      if (last.length > LINES_AT_THE_END) last.shift();
      if (isVerbose || needsAttention(line)) show(name, line);
    },
    end(reason) {
      if (!isVerbose) for (const line of last) show(name, line);
      void stop(1, `${name} ended by itself (${reason}).`);
    },
  });
}

/** An error of a build, or what a Worker logs beyond its usual course. */
function needsAttention(line: string): boolean {
  if (!line.startsWith("{")) return /✘|\[ERROR\]/.test(line);
  return /"status":5\d\d/.test(line) || !/"level":"info"|"event":"(request|page_rendered|funnel)"/.test(line);
}

async function stop(exitCode: number, reason: string): Promise<void> {
  progress.end();
  const isFirst = stopAll();
  if (reason !== "") progress.print(reason);
  if (await isFirst) process.exit(exitCode);
}

/** Wrangler does not run schedules locally. */
function callCronHandler(ports: Ports): void {
  fetch(`http://localhost:${ports["subscription-api"]}/cdn-cgi/handler/scheduled`).catch(() => {});
}

async function answers({ title, name }: (typeof workers)[number], ports: Ports): Promise<void> {
  const started = Date.now();
  let last = "no answer";
  while (Date.now() - started < READY_WITHIN_MS) {
    const response = await fetch(`http://localhost:${ports[name]}/health`).catch(() => undefined);
    if (response?.ok) return;
    if (response) last = `${response.status} ${await response.text()}`;
    if (last.includes('"DB"') && Date.now() - started > DATABASE_WELL_WITHIN_MS) {
      throw new ToolError(damagedSentence(state));
    }
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
  throw new ToolError(`The ${title} on port ${ports[name]} is not ready: ${last}`);
}

function show(name: string, line: string): void {
  if (line.trim() !== "" && !isStopping()) progress.print(`${name.padEnd(16)} │ ${line}`);
}

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  // Wrangler's library, which reads the settings, would end this process at once.
  process.removeAllListeners(signal);
  process.on(signal, () => void stop(0, "Stopping …"));
}
// Nobody reads any more: the terminal, or what the output was piped to, is closed.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => void stop(0, ""));
onParentKilled(() => void stop(1, "npm was killed: stopping …"));
main(process.argv.includes("--watch")).catch((error) => stop(1, sentenceOf(error)));
