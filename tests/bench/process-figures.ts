import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** The CPU time that a process has used so far, all its threads together, in microseconds; NaN where there is no /proc. */
export function cpuMicroseconds(pid: number): number {
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
