import type { SignUpCounts } from "../limits/sign-up-counts";
import { describeError, log } from "../log";
import { endPendingSignUp } from "./failed-cards";
import { ABANDONED_AFTER_MS, awaitsTrial, hasTooManyFailedCards, type SignUp } from "./sign-up";
import { handleCardSetUp, startTrial, type TrialServices } from "./trial";

export type ReconcileServices = TrialServices & { counts: SignUpCounts };

const BATCH = 20;

/** Stripe repeats an event for three days at most. */
const EVENTS_KEPT_MS = 30 * 24 * 60 * 60_000;

/** Continues due sign-ups after lost webhooks and crashes, and deletes abandoned ones. Failures are logged. */
export async function reconcileSignUps(services: ReconcileServices): Promise<void> {
  const due = await services.lifecycle.takeDue(BATCH);
  await Promise.all(
    due.map(async (signUp) => {
      const fields = { signUpId: signUp.id, was: signUp.status };
      try {
        log("info", "sign_up_reconciled", { ...fields, outcome: await reconcile(signUp, services) });
      } catch (error) {
        log("error", "sign_up_reconcile_failed", { ...fields, ...describeError(error) });
      }
    }),
  );
  await services.processedEvents.deleteBefore(new Date(Date.now() - EVENTS_KEPT_MS));
  await services.counts.deletePast();
}

async function reconcile(signUp: SignUp, services: TrialServices): Promise<string> {
  if (awaitsTrial(signUp)) return startTrial(signUp, services);
  switch (signUp.status) {
    case "pending":
      return reconcilePending(signUp, services);
    case "superseded":
      return deleteSignUp(signUp, services);
    default:
      return reconcileTrial(signUp, services);
  }
}

async function reconcilePending(signUp: SignUp, services: TrialServices): Promise<string> {
  if (hasTooManyFailedCards(signUp)) return endPendingSignUp(signUp, "cards-failed", services);
  const { payments, lifecycle } = services;
  const { stripe_setup_intent_id: setupIntentId } = signUp;
  const isAbandoned = Date.now() - Date.parse(signUp.created_at) >= ABANDONED_AFTER_MS;
  const setupIntent = setupIntentId === null ? undefined : await payments.retrieveSetupIntent(setupIntentId);
  if (setupIntent?.state === "succeeded") return handleCardSetUp(signUp, setupIntent, services);
  if (!isAbandoned) {
    await lifecycle.scheduleNextCheck(signUp);
    return "waits";
  }
  // First, so that no card can be set up for a deleted sign-up.
  if (setupIntent?.state === "open") await payments.cancelSetupIntent(setupIntent.id);
  return deleteSignUp(signUp, services);
}

async function deleteSignUp(signUp: SignUp, { payments, signUps }: TrialServices): Promise<string> {
  const customerId = signUp.stripe_customer_id ?? (await payments.findCustomer(signUp));
  if (customerId !== undefined) await payments.deleteCustomer(customerId);
  await signUps.deleteUnchanged(signUp);
  return "deleted";
}

/** A trial without a plan ends here: Stripe does not know of it. */
async function reconcileTrial(signUp: SignUp, { payments, lifecycle }: TrialServices): Promise<string> {
  const { stripe_subscription_id: stripeSubscriptionId } = signUp;
  const state =
    stripeSubscriptionId === null
      ? { stripeSubscriptionId, status: "canceled" as const, trialEnd: null }
      : await payments.retrieveSubscription(stripeSubscriptionId);
  await lifecycle.applyStripeState(signUp, state, { remind: false });
  return state.status;
}
