import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

/*
 * What Linux says about a process. Other systems have no /proc: everything here is undefined there.
 */

const ticksPerSecond = (() => {
  try {
    return Number(execFileSync("getconf", ["CLK_TCK"], { encoding: "utf8" }));
  } catch {
    return 100;
  }
})();

/** The CPU time that a process has used so far, all its threads together, in microseconds. */
export function cpuMicroseconds(pid: number): number | undefined {
  const line = readProc(`/proc/${pid}/stat`);
  // The name, in brackets, may hold anything; utime and stime are fields 14 and 15 of the line (man 5 proc).
  const fields = line?.slice(line.lastIndexOf(")") + 2).split(" ");
  const ticks = Number(fields?.[11]) + Number(fields?.[12]);
  return Number.isNaN(ticks) ? undefined : (ticks / ticksPerSecond) * 1e6;
}

/** The memory that a process holds now, in MiB. */
export function residentMiB(pid: number): number | undefined {
  const kib = /^VmRSS:\s+(\d+) kB/m.exec(readProc(`/proc/${pid}/status`) ?? "")?.[1];
  return kib === undefined ? undefined : Number(kib) / 1024;
}

function readProc(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
