import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { showCount } from "./local-funnel";

// `npm start`: builds, migrates and runs the three Workers until Ctrl-C. `npm run dev` (--watch) also rebuilds changes.
// `-- --verbose` shows all that Wrangler and the Workers write.
// With STRIPE_SECRET_KEY and STRIPE_PUBLISHABLE_KEY, Stripe's test mode takes the simulator's place.

const root = fileURLToPath(new URL("../..", import.meta.url));
const wrangler = join(root, "node_modules/wrangler/bin/wrangler.js");
const remix = join(root, "node_modules/@remix-run/dev/dist/cli.js");

/** In starting order; wrangler.toml expects these ports. */
const workers = [
  { name: "stripe-simulator", title: "Stripe simulator", port: 8789, folder: "functions/stripe-simulator" },
  { name: "subscription-api", title: "subscription API", port: 8788, folder: "functions/subscription-api" },
  { name: "site", title: "site", port: 8787, folder: "." },
] as const;

const pages = [
  { title: "mailbox", url: "http://localhost:8789/mailbox" },
  { title: "customer portal", url: "http://localhost:8789/p/login/test" },
  { title: "account webhooks", url: "http://localhost:8789/console" },
  { title: "Stripe dashboard", url: "http://localhost:8789/dashboard" },
  { title: "funnel", url: "http://localhost:8789/funnel" },
];

/** Sooner than in production, so that nobody waits for a mail. */
const CRON_EVERY_MS = 10_000;
const READY_WITHIN_MS = 90_000;
const STOPPED_WITHIN_MS = 10_000;
/** Of a Worker that ends by itself. */
const LINES_AT_THE_END = 40;
const isVerbose = process.argv.includes("--verbose");

/** An error whose message is enough. */
class StartError extends Error {}

const children: ChildProcess[] = [];
let stopping = false;
let removeSecrets = async () => {};

async function main(watch: boolean): Promise<void> {
  const testMode = await readTestMode();
  // Its database has other prices.
  const state = join(root, testMode ? ".wrangler/state-test-mode" : ".wrangler/state");
  for (const { port, title } of workers) await requireFreePort(port, title);
  print("Building …");
  await step("npm", ["run", "build", "--silent"]);
  print("Migrating the local database …");
  const database = ["d1", "migrations", "apply", "DB", "--local", "--persist-to", state];
  await step(process.execPath, [wrangler, ...database, "--cwd", "functions/subscription-api", "--env="]);

  if (watch) {
    // The compiler's own files in place of those of bundle-browser.ts, which are only made for a release.
    await writeFile(join(root, "build/server.js"), 'export * from "./index.js";\n');
    keepRunning("remix", [remix, "watch"]);
  }
  const files = await testMode?.environmentFilesOf(testMode.settings);
  if (files) removeSecrets = files.remove;
  // One after the other: workerd ends when another one has a file of the shared state locked.
  for (const worker of workers) {
    const { name, port, folder } = worker;
    const options = ["--cwd", folder, "--port", String(port), "--persist-to", state, "--inspector-port", "0"];
    if (name !== "stripe-simulator") options.push("--env=");
    if (watch && name === "site") options.push("--define", 'process.env.NODE_ENV:"development"');
    if (files && name !== "stripe-simulator") options.push("--env-file", files[name]);
    print(`Starting the ${worker.title} …`);
    keepRunning(name, [wrangler, "dev", ...options]);
    await answers(worker);
    if (stopping) return;
  }
  await testMode?.setPrices();
  setInterval(callCronHandler, CRON_EVERY_MS);
  const shown = testMode ? pages.filter(({ title }) => title !== "customer portal") : pages;
  const urls = [...shown, { title: "subscription API", url: "http://localhost:8788" }];
  const lines = urls.map(({ title, url }) => `  ${title.padEnd(17)} ${url}`);
  print(
    `\n${lines.join("\n")}\n\n${testMode?.whatIsLeft(testMode.settings) ?? ""}${watch ? "Changes are rebuilt. " : ""}Ctrl-C stops all.\nReady: open http://localhost:8787`,
  );
}

/** Undefined where no key is set; the simulator then is Stripe. */
async function readTestMode() {
  const { STRIPE_SECRET_KEY, STRIPE_PUBLISHABLE_KEY } = process.env;
  if (!STRIPE_SECRET_KEY && !STRIPE_PUBLISHABLE_KEY) return undefined;
  const tools = await import("./test-mode");
  try {
    const settings = tools.testModeOf(process.env);
    await tools.requireAccess(process.env);
    return settings && { ...tools, settings };
  } catch (error) {
    throw new StartError(error instanceof Error ? error.message : String(error));
  }
}

/** Runs a command to its end and shows its output if it fails. */
async function step(command: string, args: string[]): Promise<void> {
  const child = launch(command, args);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk) => (output += chunk));
  const [code] = await once(child, "close");
  if (code !== 0 && !stopping) throw new StartError(`${output}\n${command} ${args.join(" ")} failed.`);
  if (stopping) await new Promise(() => {});
}

/** Runs a command that does not end; when it does, everything stops. Of its output what needs attention is shown. */
function keepRunning(name: string, args: string[]): void {
  const child = launch(process.execPath, args);
  const last: string[] = [];
  for (const input of [child.stdout, child.stderr]) {
    if (!input) continue;
    createInterface({ input }).on("line", (line) => {
      last.push(line);
      if (last.length > LINES_AT_THE_END) last.shift();
      void showCount(line, "http://localhost:8789");
      if (isVerbose || needsAttention(line)) show(name, line);
    });
  }
  child.on("exit", (code, signal) => {
    if (stopping) return;
    if (!isVerbose) for (const line of last) show(name, line);
    void stop(1, `${name} ended by itself (${signal ?? `exit code ${code}`}).`);
  });
}

/** An error of a build, or what a Worker logs beyond its usual course. */
function needsAttention(line: string): boolean {
  if (!line.startsWith("{")) return /✘|\[ERROR\]/.test(line);
  return /"status":5\d\d/.test(line) || !/"level":"info"|"event":"(request|page_rendered|funnel)"/.test(line);
}

/** In a process group of its own: Ctrl-C reaches this process alone, which stops its children in order. */
function launch(command: string, args: string[]): ChildProcess {
  const env = { ...process.env, CI: "1", WRANGLER_SEND_METRICS: "false", WRANGLER_HIDE_BANNER: "true" };
  const child = spawn(command, args, { cwd: root, env, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  children.push(child);
  child.on("error", (error) => void stop(1, `${command} cannot be run: ${error.message}`));
  return child;
}

async function stop(exitCode: number, reason: string): Promise<void> {
  if (stopping) return;
  stopping = true;
  print(reason);
  const running = children.filter((child) => child.exitCode === null && child.signalCode === null);
  const ended = Promise.all(running.map((child) => once(child, "exit")));
  for (const child of running) child.kill("SIGINT");
  await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, STOPPED_WITHIN_MS))]);
  // What hangs, or was left behind by a child that was killed.
  children.forEach(killGroup);
  await removeSecrets();
  process.exit(exitCode);
}

function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch {
    // Already ended.
  }
}

/** Wrangler does not run schedules locally. */
function callCronHandler(): void {
  if (!stopping) fetch("http://localhost:8788/cdn-cgi/handler/scheduled").catch(() => {});
}

async function answers({ title, port }: (typeof workers)[number]): Promise<void> {
  const deadline = Date.now() + READY_WITHIN_MS;
  let last = "no answer";
  while (Date.now() < deadline && !stopping) {
    const response = await fetch(`http://localhost:${port}/health`).catch(() => undefined);
    if (response?.ok) return;
    if (response) last = `${response.status} ${await response.text()}`;
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
  if (!stopping) throw new StartError(`The ${title} on port ${port} is not ready: ${last}`);
}

async function requireFreePort(port: number, title: string): Promise<void> {
  for (const host of ["127.0.0.1", "::1"]) {
    const error = await new Promise<NodeJS.ErrnoException | undefined>((resolve) => {
      const server = createServer().once("error", resolve);
      server.listen(port, host, () => server.close(() => resolve(undefined)));
    });
    if (error?.code !== "EADDRINUSE") continue;
    throw new StartError(`Port ${port}, where the ${title} runs, is in use. Stop what listens there and start again.`);
  }
}

function show(name: string, line: string): void {
  if (line.trim() !== "" && !stopping) print(`${name.padEnd(16)} │ ${line}`);
}

function print(text: string): void {
  console.log(text);
}

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => void stop(0, "Stopping …"));
main(process.argv.includes("--watch")).catch((error) =>
  stop(1, error instanceof StartError ? error.message : String(error?.stack ?? error)),
);
