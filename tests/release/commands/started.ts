import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { expect, onTestFinished } from "vitest";

export type Started = { npm: ChildProcess; lines: string[] };

/** Runs a script in a checkout's folder until it is ready. npm has a process group of its own, as in a terminal. */
export const startIn =
  (cwd: string) =>
  async (port: number, script: string, settings: NodeJS.ProcessEnv = {}): Promise<Started> => {
    const ofTest = { NODE_ENV: undefined, NODE_OPTIONS: undefined, STRIPE_SECRET_KEY: "", PORT: String(port) };
    const env = { ...process.env, ...ofTest, ...settings };
    const npm = spawn("npm", ["run", script, "--silent"], { cwd, env, detached: true });
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

/** Presses Ctrl-C, after which nothing listens on the three ports. */
export async function stop({ npm, lines }: Started, port: number): Promise<void> {
  const exit = once(npm, "exit");
  process.kill(-Number(npm.pid), "SIGINT");
  await expect.poll(() => lines).toContain("Stopping …");
  await exit;
  for (const one of [port, port + 1, port + 2])
    await expect(fetch(`http://localhost:${one}/`)).rejects.toThrow("fetch failed");
}
