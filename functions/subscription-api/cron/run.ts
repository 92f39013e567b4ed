import { describeError } from "../../../app/shared/describe-error";
import type { RunLimits } from "../cloudflare-limits";
import { log } from "../log";
import { type DispatchServices, dispatchMessages } from "../outbox/dispatch";
import type { AdvanceServices } from "../sign-ups/advance";
import type { ProcessedEvents } from "../sign-ups/processed-events";
import { CHECK_RANKS } from "../sign-ups/sign-up";
import type { CronRuns } from "./cron-runs";
import { advanceDue } from "./due-sign-ups";

export type ScheduledServices = AdvanceServices &
  DispatchServices & { cronRuns: CronRuns; processedEvents: ProcessedEvents };

const RETENTION_MS = 30 * 24 * 60 * 60_000;

const DELETED_PER_RUN = 2_000;

/** Trials first, deletions last, within the run's limits. Throws if a part failed. */
export async function runScheduled(services: ScheduledServices, limits: RunLimits): Promise<void> {
  const { cardSetUp, mayHaveTrial, leftToDelete } = CHECK_RANKS;
  const parts = [
    () => advanceDue(cardSetUp, services, () => limits.hasLeft(0.6)),
    () => dispatchAll(services, limits, 0.75),
    () => deletePast(services),
    () => advanceDue(mayHaveTrial, services, () => limits.hasLeft(0.9)),
    () => dispatchAll(services, limits, 0.9),
    () => advanceDue(leftToDelete, services, () => limits.hasLeft(0.95)),
    () => dispatchAll(services, limits, 1),
  ];
  const errors: unknown[] = [];
  for (const part of parts) {
    try {
      await part();
    } catch (error) {
      log("error", "scheduled_run_failed", describeError(error));
      errors.push(error);
    }
  }
  if (errors.length > 0) throw new Error("A part of the scheduled run failed", { cause: errors[0] });
  await services.cronRuns.record();
}

async function dispatchAll(services: DispatchServices, limits: RunLimits, share: number): Promise<void> {
  while (limits.hasLeft(share)) {
    const messages = await dispatchMessages(services);
    limits.count(messages);
    if (messages === 0) return;
  }
}

/** Stripe repeats events for three days, so after this time no message can be created twice. */
async function deletePast({ processedEvents, outbox }: ScheduledServices): Promise<void> {
  const before = new Date(Date.now() - RETENTION_MS);
  await processedEvents.deleteBefore(before, DELETED_PER_RUN);
  await outbox.deleteSettled(before, DELETED_PER_RUN);
}
