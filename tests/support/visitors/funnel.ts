import * as z from "zod";
import type { RunningWorker } from "../workers/workers";

const count = z.object({ step: z.string(), package: z.string(), field: z.string() });

/** Counts in Workers' logs, by `step package field`. */
export function countsOf(...workers: RunningWorker[]): Record<string, number> {
  const tally: Record<string, number> = {};
  for (const line of workers.flatMap(({ logs }) => logs)) {
    if (line.event !== "funnel") continue;
    const { step, package: name, field } = count.parse(line);
    add(tally, `${step} ${name} ${field}`);
  }
  return tally;
}

export function add(tally: Record<string, number>, name: string, n = 1): void {
  if (n > 0) tally[name] = (tally[name] ?? 0) + n;
}

/** The counts of some steps. */
export function only(tally: Record<string, number>, ...steps: string[]): Record<string, number> {
  return Object.fromEntries(Object.entries(tally).filter(([name]) => steps.includes(name.split(" ")[0] ?? "")));
}
