import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import type { Readable } from "node:stream";
import { Miniflare, type WorkerOptions } from "miniflare";

/**
 * The CPU time of a new workerd process, from its start until it has answered one request, in milliseconds.
 * @param workers the first one answers
 */
export async function firstRequestMs(workers: WorkerOptions[], path: string): Promise<number> {
  const runtime = new Miniflare({
    workers,
    handleRuntimeStdio: (...outputs: Readable[]) => outputs.forEach((output) => void output.resume()),
  });
  const { origin } = await runtime.unsafeGetDirectURL(String(workers[0]?.name));
  const answer = await fetch(origin + path);
  await answer.arrayBuffer();
  const spent = cpuMs(workerdPid());
  await runtime.dispose();
  return spent;
}

/** The newest workerd of this process. */
export function workerdPid(): number {
  return Number(execFileSync("pgrep", ["-n", "-P", String(process.pid), "workerd"], { encoding: "utf8" }));
}

/** Of all threads, to the nanosecond: https://docs.kernel.org/scheduler/sched-stats.html */
export function cpuMs(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  const nanoseconds = threads.map((thread) =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]),
  );
  return nanoseconds.reduce((sum, one) => sum + one, 0) / 1e6;
}
