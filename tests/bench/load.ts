import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { Pool } from "undici";
import type { RunningWorkerd } from "./workerd";

/** A request that is sent again and again; a form if it has a body. */
export type Asked = { path: string; headers?: Record<string, string>; body?: string; status: number };

/** What several rounds of one measurement gave. */
export type Measured = { median: number; least: number; most: number };

/** How often each is measured, and how long a round takes, in seconds; `warmUp` until the engine has optimized what runs. */
export type Course = { rounds: number; seconds: number; warmUp: number };

export function measuredOf(values: number[]): Measured {
  const sorted = values.toSorted((one, other) => one - other);
  const at = (index: number) => sorted[index] ?? Number.NaN;
  return {
    median: (at(Math.floor((sorted.length - 1) / 2)) + at(Math.ceil((sorted.length - 1) / 2))) / 2,
    least: at(0),
    most: at(sorted.length - 1),
  };
}

/** The CPU time of the Worker's process for each request, in microseconds. Another status than the expected one throws. */
export async function cpuPerRequest(
  { url, pid, logFile }: RunningWorkerd,
  { path, headers, body, status }: Asked,
  duration: number,
): Promise<number> {
  const before = cpuMicroseconds(pid);
  const ofForm = { "Content-Type": "application/x-www-form-urlencoded", Origin: url, "Sec-Fetch-Site": "same-origin" };
  const pool = new Pool(url, { connections: 16 });
  const end = performance.now() + duration * 1000;
  let count = 0;
  const askOn = async (): Promise<void> => {
    while (performance.now() < end) {
      const answer = await pool.request({
        path,
        method: body === undefined ? "GET" : "POST",
        headers: { ...(body !== undefined && ofForm), ...headers },
        body: body ?? null,
      });
      await answer.body.dump();
      if (answer.statusCode !== status) {
        throw new Error(`${path}: answered ${answer.statusCode} in place of ${status}; see ${logFile}`);
      }
      count += 1;
    }
  };
  await Promise.all(Array.from({ length: 16 }, askOn));
  await pool.close();
  return (cpuMicroseconds(pid) - before) / count;
}

/** The CPU time that a process has used so far, all its threads together, in microseconds; NaN where there is no /proc. */
function cpuMicroseconds(pid: number): number {
  try {
    const line = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name, in brackets, may hold anything; utime and stime are fields 14 and 15 of the line (man 5 proc).
    const fields = line.slice(line.lastIndexOf(")") + 2).split(" ");
    return ((Number(fields[11]) + Number(fields[12])) / ticksPerSecond()) * 1e6;
  } catch {
    return Number.NaN;
  }
}

let ticks: number | undefined;

function ticksPerSecond(): number {
  ticks ??= Number(execFileSync("getconf", ["CLK_TCK"], { encoding: "utf8" }));
  return ticks;
}
