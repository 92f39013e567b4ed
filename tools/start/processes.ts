import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { ToolError } from "../failures";
import { root } from "../wrangler/wrangler";

const STOPPED_WITHIN_MS = 10_000;

const children: ChildProcess[] = [];
const endings: (() => Promise<unknown>)[] = [];
let stopping = false;

export const isStopping = () => stopping;

/** Calls `end` when everything stops. */
export function atStop(end: () => Promise<unknown>): void {
  endings.push(end);
}

/** Ends everything within ten seconds, or at once when called again. */
export async function stopAll(exitCode: number, reason: string): Promise<void> {
  if (stopping) process.exit(exitCode);
  stopping = true;
  if (reason !== "") console.log(reason);
  const running = children.filter((child) => child.exitCode === null && child.signalCode === null);
  for (const child of running) child.kill("SIGINT");
  const ended = Promise.allSettled([...running.map((child) => once(child, "exit")), ...endings.map((end) => end())]);
  await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, STOPPED_WITHIN_MS))]);
  process.exit(exitCode);
}

/** In a process group of its own: Ctrl-C reaches this process alone, which stops its children in order. */
export function launch(command: string, args: string[], onLine: (line: string) => void): ChildProcess {
  const { PORT: _, HOST: __, ...variables } = process.env;
  const env = { ...variables, CI: "1", WRANGLER_SEND_METRICS: "false", WRANGLER_HIDE_BANNER: "true" };
  const child = spawn(command, args, { cwd: root, env, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  children.push(child);
  child.on("error", (error) => {
    throw new ToolError(`${command} cannot be run: ${error.message}`);
  });
  for (const input of [child.stdout, child.stderr]) createInterface({ input }).on("line", onLine);
  return child;
}

process.on("exit", () => {
  for (const { pid } of children) {
    try {
      if (pid !== undefined) process.kill(-pid, "SIGKILL");
    } catch {
      // Already ended.
    }
  }
});
