import { describeError } from "../../../app/shared/describe-error";
import { inParallel } from "../limits/in-parallel";
import { log } from "../log";
import { endPendingSignUp } from "./ending/failed-cards";
import {
  ABANDONED_AFTER_MS,
  type CheckRank,
  hasTooManyFailedCards,
  isOlder,
  nextPendingCheck,
  type SignUp,
} from "./sign-up";
import { handleCardSetUp, startTrial, type TrialServices } from "./start-trial";

const BATCH = 60;

/** Continues due sign-ups after lost webhooks and crashes, while `mayContinue` is true. Logs failures. */
export async function reconcileSignUps(
  rank: CheckRank,
  services: TrialServices,
  mayContinue: () => boolean,
): Promise<void> {
  while (mayContinue()) {
    const { signUps, leaseEnd } = await services.lifecycle.takeDue(rank, BATCH);
    const waiting: SignUp[] = [];
    const reconcileOne = async (signUp: SignUp) => {
      const fields = { signUpId: signUp.id, was: signUp.status };
      try {
        const outcome = await reconcile(signUp, services);
        if (outcome === "waits") waiting.push(signUp);
        log("info", "sign_up_reconciled", { ...fields, outcome });
      } catch (error) {
        log("error", "sign_up_reconcile_failed", { ...fields, ...describeError(error) });
      }
    };
    const left = await inParallel(signUps, reconcileOne, mayContinue);
    const checks = [
      ...waiting.map((signUp) => ({ id: signUp.id, at: nextPendingCheck(signUp) })),
      ...left.map(({ id }) => ({ id, at: new Date() })),
    ];
    await services.lifecycle.scheduleChecks(checks, leaseEnd);
    if (signUps.length < BATCH) return;
  }
}

async function reconcile(signUp: SignUp, services: TrialServices): Promise<string> {
  if (signUp.status === "card_set_up") return startTrial(signUp, services);
  switch (signUp.status) {
    case "pending":
      return reconcilePending(signUp, services);
    case "ended":
      return deleteSignUp(signUp, services);
    default:
      return reconcileTrial(signUp, services);
  }
}

async function reconcilePending(signUp: SignUp, services: TrialServices): Promise<string> {
  if (hasTooManyFailedCards(signUp)) return endPendingSignUp(signUp, services);
  return startOrDelete(signUp, ABANDONED_AFTER_MS, services);
}

export async function startOrDelete(signUp: SignUp, keptMs: number, services: TrialServices): Promise<string> {
  const { payments } = services;
  const setupIntent = await payments.findSetupIntent(signUp.stripe_setup_intent_id);
  if (setupIntent?.state === "succeeded") return handleCardSetUp(signUp, setupIntent, services);
  if (!isOlder(signUp, keptMs)) return "waits";
  // Cancels first, so that no card can be set up for a deleted sign-up.
  if (setupIntent?.state === "open") await payments.cancelSetupIntent(setupIntent.id);
  return deleteSignUp(signUp, services);
}

/** Deletes at Stripe first, so that a retry can finish. */
export async function deleteSignUp(signUp: SignUp, { payments, signUps }: TrialServices): Promise<string> {
  const customerId = signUp.stripe_customer_id ?? (await payments.findCustomer(signUp));
  if (customerId !== undefined) await payments.deleteCustomer(customerId);
  await signUps.deleteUnchanged(signUp);
  return "deleted";
}

/** Ends a trial without a plan, which has no subscription at Stripe. */
async function reconcileTrial(signUp: SignUp, { payments, lifecycle }: TrialServices): Promise<string> {
  const { stripe_subscription_id: stripeSubscriptionId } = signUp;
  const state =
    stripeSubscriptionId === null
      ? { stripeSubscriptionId, status: "canceled" as const, trialEnd: null }
      : await payments.retrieveSubscription(stripeSubscriptionId);
  await lifecycle.applyStripeState(signUp, state, { remindAt: null });
  return state.status;
}
