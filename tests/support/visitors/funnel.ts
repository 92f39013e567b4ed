import * as z from "zod";
import type { RunningWorker } from "../workers/workers";
import { rows } from "./visitor";

const count = z.object({ step: z.string(), package: z.string(), field: z.string() });

/** What some Workers have counted in their logs: `step package field` and how often. */
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

/** What the API's database says of the same steps. */
export async function countsInDatabase(api: RunningWorker): Promise<Record<string, number>> {
  const steps = {
    accepted: "count(stripe_setup_intent_id)",
    declined: "sum(declined_cards)",
    set_up: "count(trial_end)",
    trial: "sum((SELECT count(*) FROM outbox WHERE sign_up_id = sign_ups.id AND kind = 'trial-started'))",
    paid: "count(paid_at)",
  };
  const tally: Record<string, number> = {};
  for (const [step, value] of Object.entries(steps)) {
    const sql = `SELECT coalesce(package_id, 'none') AS package, ${value} AS n FROM sign_ups GROUP BY package_id`;
    for (const { package: name, n } of await rows(api, sql)) add(tally, `${step} ${name} none`, Number(n));
  }
  return tally;
}

/** Those of some steps. */
export function only(tally: Record<string, number>, ...steps: string[]): Record<string, number> {
  return Object.fromEntries(Object.entries(tally).filter(([name]) => steps.includes(name.split(" ")[0] ?? "")));
}
