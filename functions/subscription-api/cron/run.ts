import { CONNECTIONS } from "../connections";
import { logFailure } from "../log";
import { type DispatchServices, dispatchMessages } from "../outbox/dispatch";
import { CHECK_RANKS } from "../sign-up";
import type { AdvanceServices } from "../sign-ups/transitions/transition";
import type { CronRuns } from "./cron-runs";
import { advanceDue } from "./due-sign-ups";
import type { RunLimits } from "./run-limits";
import { deleteSettledMessages } from "./settled-messages";

export type ScheduledServices = AdvanceServices & DispatchServices & { cronRuns: CronRuns };

/** In strict order: a rank waits until none of the one before is due or its query failed. Trials that must start are first. */
const URGENCIES = [CHECK_RANKS.cardSetUp, CHECK_RANKS.mayHaveTrial, CHECK_RANKS.leftToDelete] as const;

/**
 * The work of each minute, within the run's limits: sign-ups and messages in turn, then the other messages. A part that fails is
 * not retried in this run and does not stop the others. At the end, logs the failed parts with the first error, and throws.
 */
export async function runScheduled(services: ScheduledServices, limits: RunLimits): Promise<void> {
  const runStart = new Date();
  const failures = new Map<string, unknown>();
  const attempt = async (part: string, work: () => Promise<number>): Promise<number> => {
    if (failures.has(part)) return 0;
    try {
      return await work();
    } catch (error) {
      failures.set(part, error);
      return 0;
    }
  };
  const sendSome = () => attempt("messages", () => dispatchCounted(services, limits));

  for (const urgency of URGENCIES) {
    // A batch that is not full was the last one, so the loop ends.
    let taken = CONNECTIONS;
    while (taken === CONNECTIONS && limits.hasLeft()) {
      taken = await attempt(`sign-ups of rank ${urgency}`, () => advanceDue(urgency, runStart, services));
      await sendSome();
    }
  }
  let sent = CONNECTIONS;
  while (sent === CONNECTIONS && limits.hasLeft()) sent = await sendSome();
  await attempt("settled messages", () => deleteSettledMessages(services));

  const [failure] = failures.values();
  if (failures.size > 0) {
    logFailure("scheduled_run_failed", failure, { parts: [...failures.keys()] });
    throw new Error("A part of the scheduled run failed", { cause: failure });
  }
  await services.cronRuns.record();
}

/** Counts one call for each message, because nothing else counts the call to its receiver. */
async function dispatchCounted(services: DispatchServices, limits: RunLimits): Promise<number> {
  const messages = await dispatchMessages(services);
  limits.count(messages);
  return messages;
}
