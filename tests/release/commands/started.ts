import { type ChildProcess, execFileSync } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { createInterface } from "node:readline";
import { expect, onTestFinished } from "vitest";
import type { Checkout } from "./checkout";

export type Started = { npm: ChildProcess; lines: string[] };

/** The first of four ports that nothing listens on, below the ports of outgoing connections. */
export async function freePorts(): Promise<number> {
  const port = 10_081 + 4 * Math.floor(Math.random() * 5_000);
  const servers = [0, 1, 2, 3].map((after) => createServer().listen(port + after, "127.0.0.1"));
  const listening = await Promise.allSettled(servers.map((server) => once(server, "listening")));
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return listening.every(({ status }) => status === "fulfilled") ? port : freePorts();
}

/** Runs a script in a checkout until it is ready. */
export const startIn =
  ({ begin }: Pick<Checkout, "begin">) =>
  async (port: number, script: string, settings: NodeJS.ProcessEnv = {}): Promise<Started> => {
    const env = { STRIPE_SECRET_KEY: "", PORT: String(port), ...settings };
    const npm = begin("npm", ["run", script, "--silent"], env, { isDetached: true });
    const lines: string[] = [];
    for (const input of [npm.stdout, npm.stderr]) createInterface({ input }).on("line", (line) => lines.push(line));
    onTestFinished(() => {
      if (npm.exitCode === null && npm.signalCode === null && npm.pid !== undefined) process.kill(-npm.pid, "SIGKILL");
    });
    await expect.poll(() => lines.at(-1)).toMatch(/^Ready: open/);
    return { npm, lines };
  };

/** Asks all three Workers all the time. Ends with the statuses of the answers; a connection that is refused has none. */
export function poll(port: number) {
  let isOver = false;
  const statuses = [port, port + 1, port + 2].map(async (one) => {
    const found = new Set<number | string>();
    while (!isOver) {
      const answer = await fetch(`http://localhost:${one}/health`).catch((error) => String(error.cause?.code));
      found.add(typeof answer === "string" ? answer : answer.status);
      if (typeof answer !== "string") await answer.body?.cancel();
    }
    return [...found].filter((status) => status !== "ECONNREFUSED");
  });
  return async () => {
    isOver = true;
    return (await Promise.all(statuses)).flat();
  };
}

/** The processes that a process has started, and theirs. */
export function descendantsOf(pid: number): { pid: number; command: string }[] {
  const listed = execFileSync("ps", ["-eo", "pid=,ppid=,args="], { encoding: "utf8" });
  const processes = [...listed.matchAll(/^ *(\d+) +(\d+) +(.*)$/gm)].map(([, own, parent, command = ""]) => ({
    ...{ pid: Number(own), parent: Number(parent), command },
  }));
  const below = (parent: number): typeof processes =>
    processes.filter((one) => one.parent === parent).flatMap((one) => [one, ...below(one.pid)]);
  return below(pid);
}

export const isRunning = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

/**
 * Presses Ctrl-C, or ends it as a machine or a closed terminal does. Then it has ended well, and nothing of it runs. npm and the shell
 * get no signal: they would end with it, and not with the exit code of what they run.
 */
export async function stop({ npm, lines }: Started, port: number, signal: NodeJS.Signals = "SIGINT"): Promise<void> {
  const processes = descendantsOf(Number(npm.pid));
  const close = once(npm, "close");
  for (const { pid, command } of processes)
    if (!/^(?:\/bin\/)?sh /.test(command) && isRunning(pid)) process.kill(pid, signal);
  const [exitCode] = await close;
  expect({ exitCode, last: lines.at(-1) }, lines.join("\n")).toEqual({ exitCode: 0, last: "Stopping …" });
  await expect.poll(() => processes.filter(({ pid }) => isRunning(pid)), { message: "what still runs" }).toEqual([]);
  for (const one of [port, port + 1, port + 2])
    await expect(fetch(`http://localhost:${one}/`)).rejects.toThrow("fetch failed");
}
