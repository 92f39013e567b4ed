import { describeError, log } from "../log";
import type { SignUp } from "./sign-up-store";
import { ABANDONED_AFTER_MS, awaitsTrial } from "./sign-up-store";
import { handleCardSetUp, startTrial, type TrialServices } from "./trial";

/** How many sign-ups one run looks at; the next run is a minute later. */
const BATCH = 20;

/** Stripe sends an event for three days at most. */
const EVENTS_KEPT_MS = 30 * 24 * 60 * 60_000;

/**
 * The cron handler's work on sign-ups: finishes what a lost webhook or a crash left unfinished, deletes what was
 * abandoned, follows trials that should be over. One sign-up's failure is logged and touches no other; it is looked at
 * again later.
 * @throws what D1 throws when the sign-ups cannot be taken
 */
export async function reconcileSignUps(services: TrialServices): Promise<void> {
  const due = await services.signUps.takeDue(BATCH);
  await Promise.all(
    due.map(async (signUp) => {
      const facts = { signUpId: signUp.id, was: signUp.status };
      try {
        log("info", "sign_up_reconciled", { ...facts, outcome: await reconcile(signUp, services) });
      } catch (error) {
        log("error", "sign_up_reconcile_failed", { ...facts, ...describeError(error) });
      }
    }),
  );
  await services.signUps.deleteEventsBefore(new Date(Date.now() - EVENTS_KEPT_MS));
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

/** A pending sign-up: its card may be set up although no webhook told; else it waits, or is abandoned. */
async function reconcilePending(signUp: SignUp, services: TrialServices): Promise<string> {
  const { payments, signUps } = services;
  const { stripe_customer_id: customerId, stripe_setup_intent_id: setupIntentId } = signUp;
  const isOld = Date.now() - Date.parse(signUp.created_at) >= ABANDONED_AFTER_MS;
  const setupIntent = setupIntentId === null ? undefined : await payments.retrieveSetupIntent(setupIntentId);
  if (setupIntent?.state === "succeeded" && customerId !== null) {
    return handleCardSetUp({ signUpId: signUp.id, customerId, setupIntentId: setupIntent.id }, services);
  }
  if (!isOld) {
    await signUps.scheduleNextCheck(signUp);
    return "waits";
  }
  // Canceled first: from then on no card can be set up for what is about to be deleted. When one was set up just now,
  // Stripe refuses, and the next look finds it.
  if (setupIntent?.state === "open") await payments.cancelSetupIntent(setupIntent.id);
  return deleteSignUp(signUp, services);
}

/** Deletes a sign-up that came to nothing: at Stripe, then here. */
async function deleteSignUp(signUp: SignUp, { payments, signUps }: TrialServices): Promise<string> {
  const customerId = signUp.stripe_customer_id ?? (await payments.findCustomer(signUp));
  if (customerId !== undefined) await payments.deleteCustomer(customerId);
  await signUps.remove(signUp);
  return "deleted";
}

/** A trial that should be over by now; one without a plan ends here, since Stripe does not know of it. */
async function reconcileTrial(signUp: SignUp, { payments, signUps }: TrialServices): Promise<string> {
  const { stripe_subscription_id: stripeSubscriptionId } = signUp;
  const state =
    stripeSubscriptionId === null
      ? { stripeSubscriptionId, status: "canceled" as const, trialEnd: null }
      : await payments.retrieveSubscription(stripeSubscriptionId);
  // Not written when a webhook came first.
  await signUps.applyStripeState(signUp, state, { trialEnding: false });
  return state.status;
}
