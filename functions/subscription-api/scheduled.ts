import { describeError, log } from "./log";
import { type DispatchServices, dispatchMessages } from "./outbox/dispatch";
import { type ReconcileServices, reconcileSignUps } from "./sign-ups/reconcile";

/** The cron handler: reconciles sign-ups, then dispatches messages. Throws when either failed. */
export async function runScheduled(services: ReconcileServices & DispatchServices): Promise<void> {
  const outcomes = [await settle(reconcileSignUps(services)), await settle(dispatchMessages(services))];
  const errors = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason] : []));
  for (const error of errors) log("error", "scheduled_run_failed", describeError(error));
  if (errors.length > 0) throw new Error("A part of the scheduled run failed", { cause: errors[0] });
}

async function settle(work: Promise<void>): Promise<PromiseSettledResult<void>> {
  const [outcome] = await Promise.allSettled([work]);
  return outcome;
}
