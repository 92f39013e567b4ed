import { describeError } from "../../../app/shared/describe-error";
import { inParallel } from "../cloudflare-limits";
import { log } from "../log";
import { type AdvanceServices, advance } from "../sign-ups/advance";
import { type CheckRank, nextCheck, type SignUp } from "../sign-ups/sign-up";

const BATCH = 60;

/** Advances due sign-ups after lost webhooks and crashes, while `mayContinue` is true. Logs failures. */
export async function advanceDue(
  rank: CheckRank,
  services: AdvanceServices,
  mayContinue: () => boolean,
): Promise<void> {
  const { signUps } = services;
  while (mayContinue()) {
    const due = await signUps.takeDue(rank, BATCH);
    const checks: { read: SignUp; at: string | null }[] = [];
    const advanceOne = async (read: SignUp) => {
      const fields = { signUpId: read.id, was: read.status };
      try {
        const { signUp } = await advance(read, services);
        if (signUp?.version === read.version) checks.push({ read, at: nextCheck(read) });
        log("info", "sign_up_reconciled", { ...fields, outcome: signUp?.status ?? "deleted" });
      } catch (error) {
        // Due again when the lease ends.
        log("error", "sign_up_reconcile_failed", { ...fields, ...describeError(error) });
      }
    };
    const left = await inParallel(due, advanceOne, mayContinue);
    const now = new Date().toISOString();
    await signUps.planChecks([...checks, ...left.map((read) => ({ read, at: now }))]);
    if (due.length < BATCH) return;
  }
}
