import { once } from "node:events";
import { rmSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { sentenceOf, ToolError } from "../failures";
import { readWorkerSettings } from "../worker-settings";
import { root, wrangler } from "../wrangler";
import { hostOf, onPorts, type Ports, portsOf, requireFreePort } from "./ports";
import { isStopping, launch, stopAll } from "./processes";
import { saysDamaged, showCount, shownOf } from "./worker-lines";

// PORT moves the site, and API and simulator with it. HOST=0.0.0.0, or this machine's name, serves other devices too.

const remix = join(root, "node_modules/@remix-run/dev/dist/cli.js");

const workers = [
  { name: "stripe-simulator", title: "Stripe simulator", folder: "functions/stripe-simulator" },
  { name: "subscription-api", title: "subscription API", folder: "functions/subscription-api" },
  { name: "site", title: "site", folder: "." },
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
const LINES_AT_THE_END = 40;
const isVerbose = process.argv.includes("--verbose");

let state = join(root, ".wrangler/state");

async function main(watch: boolean): Promise<void> {
  const ports = portsOf(process.env);
  const host = hostOf(process.env);
  // Read ahead of all else, so that a file that is no TOML is named at once.
  const moved = Object.fromEntries(workers.map(({ name, folder }) => [name, movedVars(folder, ports)]));
  const testMode = await readTestMode();
  // Its database has other prices.
  if (testMode) state = join(root, ".wrangler/state-test-mode");
  for (const { name, title } of workers) await requireFreePort(ports[name], title);

  console.log("Migrating the local database …");
  const database = ["d1", "migrations", "apply", "DB", "--local", "--persist-to", state];
  await step(process.execPath, [wrangler, ...database, "--cwd", "functions/subscription-api", "--env="]);
  console.log("Building …");
  for (const { name } of [...workers].reverse()) await step("npm", ["run", "--silent", `build:${name}`]);

  console.log("Starting the Workers …");
  if (watch) {
    // The compiler's own files in place of those of bundle-browser.ts, which are only made for a release.
    await writeFile(join(root, "build/server.js"), 'export * from "./index.js";\n');
    run("remix", [remix, "watch"]);
  }
  const files = await testMode?.environmentFilesOf(testMode.settings);
  if (files) process.on("exit", () => rmSync(files.folder, { recursive: true, force: true }));
  // One after the other: workerd ends when another one has a file of the shared state locked.
  for (const worker of workers) {
    const { name, folder } = worker;
    const port = String(ports[name]);
    const options = ["--cwd", folder, "--port", port, "--persist-to", state, "--inspector-port", "0"];
    const vars = moved[name] ?? [];
    if (host) options.push("--ip", host.ip);
    if (name !== "stripe-simulator") {
      options.push("--env=");
      if (host) vars.push(["HOST", host.name]);
      if (files) options.push("--env-file", files[name]);
    }
    if (watch && name === "site") options.push("--define", 'process.env.NODE_ENV:"development"');
    for (const [key, value] of vars) {
      if (!(testMode && key in testMode.settingsOf(name))) options.push("--var", `${key}:${value}`);
    }
    run(name, [wrangler, "dev", ...options], (line) => void showCount(line, local(ports["stripe-simulator"])));
    await answers(worker, ports);
  }
  await testMode?.setPrices();
  // Wrangler does not run schedules locally.
  const cron = `${local(ports["subscription-api"])}/cdn-cgi/handler/scheduled`;
  setInterval(() => fetch(cron).catch(() => {}), CRON_EVERY_MS);

  const at = (name: keyof Ports) => `http://${host?.name ?? "localhost"}:${ports[name]}`;
  const shown = testMode ? pages.filter(({ title }) => title !== "customer portal") : pages;
  for (const { title, path } of shown) console.log(`  ${title.padEnd(17)} ${at("stripe-simulator")}${path}`);
  console.log(`  ${"subscription API".padEnd(17)} ${at("subscription-api")}`);
  console.log(`  ${"operator's page".padEnd(17)} ${at("subscription-api")}/operator`);
  if (testMode) console.log(testMode.whatIsLeft(testMode.settings));
  console.log(`${watch ? "Changes are rebuilt. " : ""}Press Ctrl-C to stop everything.`);
  console.log(`Ready: open ${at("site")}`);
}

const local = (port: number) => `http://localhost:${port}`;

function movedVars(folder: string, ports: Ports): [string, unknown][] {
  const { vars } = readWorkerSettings(join(root, folder, "wrangler.toml"));
  return Object.entries(onPorts(vars, ports)).filter(([name, value]) => value !== vars[name]);
}

async function readTestMode() {
  const { STRIPE_SECRET_KEY, STRIPE_PUBLISHABLE_KEY } = process.env;
  if (!STRIPE_SECRET_KEY && !STRIPE_PUBLISHABLE_KEY) return undefined;
  const tools = await import("../test-mode");
  const settings = tools.testModeOf(process.env);
  await tools.requireAccess(process.env);
  const settingsOf = (name: string) => (name === "site" ? settings?.site : settings?.api) ?? {};
  return settings && { ...tools, settings, settingsOf };
}

function damagedSentence(): string {
  const shown = relative(root, state);
  return `The local database in ${shown} is damaged: delete it with rm -rf ${shown} and start again; it holds nothing but what was tried out here.`;
}

async function step(command: string, args: string[]): Promise<void> {
  const lines: string[] = [];
  const child = launch(command, args, (line) => {
    lines.push(line);
    if (isVerbose) console.log(line);
  });
  const [code] = await once(child, "close");
  if (isStopping()) await new Promise(() => {});
  if (code === 0) return;
  throw new ToolError(
    lines.some(saysDamaged) ? damagedSentence() : `${lines.join("\n")}\n${command} ${args.join(" ")} failed.`,
  );
}

function run(name: string, args: string[], onLine: (line: string) => void = () => {}): void {
  const last: string[] = [];
  const show = (line = "") => line.trim() !== "" && console.log(`${name.padEnd(16)} │ ${line}`);
  const child = launch(process.execPath, args, (line) => {
    if (isStopping()) return;
    if (saysDamaged(line)) return void stopAll(1, damagedSentence());
    onLine(line);
    last.push(line);
    if (last.length > LINES_AT_THE_END) last.shift();
    show(isVerbose ? line : shownOf(line));
  });
  child.on("close", (code, signal) => {
    if (isStopping()) return;
    if (!isVerbose) last.forEach(show);
    void stopAll(1, `${name} exited unexpectedly (${signal ?? `exit code ${code}`}).`);
  });
}

async function answers({ title, name }: (typeof workers)[number], ports: Ports): Promise<void> {
  const started = Date.now();
  let last = "no answer";
  while (Date.now() - started < READY_WITHIN_MS) {
    const response = await fetch(`${local(ports[name])}/health`).catch(() => undefined);
    if (response?.ok) return;
    if (response) last = `${response.status} ${await response.text()}`;
    if (last.includes('"DB"') && Date.now() - started > DATABASE_WELL_WITHIN_MS) {
      throw new ToolError(damagedSentence());
    }
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
  throw new ToolError(`The ${title} on port ${ports[name]} is not ready: ${last}`);
}

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  // Wrangler's library, which reads the settings, would end this process at once.
  process.removeAllListeners(signal);
  process.on(signal, () => void stopAll(0, "Stopping …"));
}
// Nobody reads any more: the terminal, or what the output was piped to, is closed.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => void stopAll(0, ""));
main(process.argv.includes("--watch")).catch((error) => stopAll(1, sentenceOf(error)));
