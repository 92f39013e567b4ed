import { CONNECTIONS, inParallel } from "../connections";
import { log, logFailure } from "../log";
import type { CheckRank, SignUp } from "../sign-up";
import { nextCheck } from "../sign-ups/timing";
import { advance } from "../sign-ups/transitions/advance";
import type { AdvanceServices } from "../sign-ups/transitions/transition";

/** For lost webhooks, crashed requests and deadlines. A sign-up that fails stays leased. Throws D1's errors. */
export async function advanceDue(rank: CheckRank, runStart: Date, services: AdvanceServices): Promise<number> {
  const { signUps } = services;
  const due = await signUps.takeDue(rank, runStart, CONNECTIONS);
  const unchanged: SignUp[] = [];
  await inParallel(due, async (taken) => {
    const fields = { signUpId: taken.id, was: taken.status };
    try {
      const { signUp } = await advance(taken, services);
      if (signUp?.version === taken.version) unchanged.push(taken);
      log("info", "sign_up_reconciled", { ...fields, outcome: signUp?.status ?? "deleted" });
    } catch (error) {
      logFailure("sign_up_reconcile_failed", error, fields);
    }
  });
  await signUps.planChecks(unchanged.map((read) => ({ read, at: checkAfterRun(read, runStart) })));
  return due.length;
}

/** The next check. If it is in the past, it moves to just after the run's start, so that the run takes each sign-up only once. */
function checkAfterRun(signUp: SignUp, runStart: Date): string | null {
  const next = nextCheck(signUp);
  const earliest = new Date(runStart.getTime() + 1).toISOString();
  return next !== null && next < earliest ? earliest : next;
}
