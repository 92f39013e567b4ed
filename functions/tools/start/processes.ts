import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { ToolError } from "../failures";
import { root } from "../wrangler";

const STOPPED_WITHIN_MS = 10_000;
const PARENT_LOOKED_AT_EVERY_MS = 1000;

const children: ChildProcess[] = [];
let watchdog: ChildProcess | undefined;
let stopping = false;

/** Runs a command to its end. Throws ToolError with what it wrote where it fails. */
export async function runStep(command: string, args: string[], onLine: (line: string) => void): Promise<void> {
  const child = launch(command, args);
  const lines: string[] = [];
  const read = (line: string) => {
    lines.push(line);
    onLine(line);
  };
  readLines(child, read);
  const [code] = await once(child, "close");
  if (child.pid !== undefined) tellWatchdog(`-${child.pid}`);
  if (stopping) await new Promise(() => {});
  if (code !== 0) throw new ToolError(`${lines.join("\n")}\n${command} ${args.join(" ")} failed.`);
}

/** Runs a program of Node's that does not end. */
export function keepRunning(args: string[], on: { line: (line: string) => void; end: (reason: string) => void }): void {
  const child = launch(process.execPath, args);
  readLines(child, on.line);
  child.on("close", (code, signal) => {
    if (!stopping) on.end(signal ?? `exit code ${code}`);
  });
}

/** Whether everything is being ended. */
export function isStopping(): boolean {
  return stopping;
}

/** Ends all, at the latest after ten seconds; the second call waits for nothing. */
export async function stopAll(): Promise<boolean> {
  if (stopping) return false;
  stopping = true;
  const running = children.filter((child) => child.exitCode === null && child.signalCode === null);
  const ended = Promise.all(running.map((child) => once(child, "exit")));
  for (const child of running) child.kill("SIGINT");
  await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, STOPPED_WITHIN_MS))]);
  // What hangs, or was left behind by a child that was killed.
  children.forEach(killGroup);
  return true;
}

/** A folder that goes when this process ends, also when it is killed. */
export function removeAtEnd(folder: string): void {
  tellWatchdog(`rm ${folder}`);
}

/** Calls back when npm, which has started this process, was killed and could not say so. */
export function onParentKilled(stop: () => void): void {
  if (process.env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    stop();
  }, PARENT_LOOKED_AT_EVERY_MS);
}

/** In a process group of its own: Ctrl-C reaches this process alone, which stops its children in order. */
function launch(command: string, args: string[]): ChildProcess {
  startWatchdog();
  const { PORT: _, ...variables } = process.env;
  const env = { ...variables, CI: "1", WRANGLER_SEND_METRICS: "false", WRANGLER_HIDE_BANNER: "true" };
  const child = spawn(command, args, { cwd: root, env, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  children.push(child);
  if (child.pid !== undefined) tellWatchdog(`+${child.pid}`);
  child.on("error", (error) => {
    throw new ToolError(`${command} cannot be run: ${error.message}`);
  });
  return child;
}

function startWatchdog(): void {
  if (watchdog) return;
  const program = fileURLToPath(new URL("./watchdog.mjs", import.meta.url));
  watchdog = spawn(process.execPath, [program], { detached: true, stdio: ["pipe", "ignore", "ignore"] });
  watchdog.stdin?.on("error", () => {});
  watchdog.unref();
}

function tellWatchdog(line: string): void {
  startWatchdog();
  watchdog?.stdin?.write(`${line}\n`);
}

function readLines(child: ChildProcess, onLine: (line: string) => void): void {
  for (const input of [child.stdout, child.stderr]) if (input) createInterface({ input }).on("line", onLine);
}

function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch {
    // Already ended.
  }
}
