import type { TrialClaims } from "../../limits/trial-claims";
import type { SignUps } from "../../sign-ups/store/sign-up-store";
import type { RestoredDatabase } from "./restored-database";
import type { StripeHistory } from "./stripe-history";

export type RestoreServices = {
  signUps: SignUps;
  claims: TrialClaims;
  stripeHistory: StripeHistory;
  restoredDatabase: RestoredDatabase;
};

/** `restoredTo`: the time of the database's content. `stoppedAt`: when maintenance began. */
export type Restore = { restoredTo: Date; stoppedAt: Date };

export type RestoreReport = {
  /** Sign-ups known to Stripe and missing from the database. */
  missing: { sign_up_id: string; customer_id: string; had_trial: boolean }[];
  /** Sign-ups deleted after `restoredTo`: erased or abandoned. */
  deleted_again: number;
  emails_held_back: number;
  checked_again: number;
};

/** Reconciles a restored database with Stripe's history; the cron handler then checks each changed sign-up. Repeatable. */
export async function reconcileRestored(
  { restoredTo, stoppedAt }: Restore,
  { signUps, claims, stripeHistory, restoredDatabase }: RestoreServices,
): Promise<RestoreReport> {
  const missing: RestoreReport["missing"] = [];
  const changed: string[] = [];
  const begun: string[] = [];
  let deletedAgain = 0;
  for (const { signUpId, customerId, ...history } of await stripeHistory.since(restoredTo)) {
    const { isDeleted, setupIntentId, trialStartedAt } = history;
    const signUp = await signUps.find(signUpId);
    if (signUp === null) {
      const hadTrial = trialStartedAt !== null;
      if (!isDeleted) missing.push({ sign_up_id: signUpId, customer_id: customerId, had_trial: hadTrial });
    } else if (isDeleted) {
      await signUps.erase(signUp.id, claims.of(signUp.email, null).email);
      deletedAgain += 1;
    } else {
      // A trial began with the card set up last.
      const replaces = trialStartedAt !== null || signUp.stripe_setup_intent_id === null;
      await restoredDatabase.recordAtStripe(signUpId, customerId, replaces ? setupIntentId : null);
      changed.push(signUpId);
      if (trialStartedAt !== null && trialStartedAt < stoppedAt) begun.push(signUpId);
    }
  }
  return {
    missing,
    deleted_again: deletedAgain,
    emails_held_back: (await restoredDatabase.holdBackDue(stoppedAt)) + (await restoredDatabase.holdBackStarts(begun)),
    checked_again: await restoredDatabase.checkNow(changed),
  };
}
