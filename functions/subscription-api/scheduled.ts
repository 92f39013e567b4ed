import { servicesFor } from "./app";
import { readConfig } from "./config";
import { describeError, log } from "./log";
import { dispatchMessages } from "./outbox/dispatch";

import { reconcileSignUps } from "./sign-ups/reconcile";

/**
 * The cron handler, once a minute: sends what the outbox still holds and looks after sign-ups. The two are independent;
 * a failure of either is logged, and fails the run.
 */
export async function scheduled(_controller: unknown, env: unknown): Promise<void> {
  const result = readConfig(env);
  if (result.status === "invalid") {
    log("error", "configuration_invalid", { keys: result.keys });
    return;
  }
  const services = servicesFor(result.config);
  // The sign-ups first: what they finish is told in the same run.
  const outcomes = [await settle(reconcileSignUps(services)), await settle(dispatchMessages(services))];
  for (const error of outcomes) {
    if (error !== undefined) log("error", "scheduled_run_failed", describeError(error));
  }
  if (outcomes.some((error) => error !== undefined)) throw new Error("A part of the scheduled run failed");
}

async function settle(work: Promise<void>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error: unknown) => error,
  );
}
