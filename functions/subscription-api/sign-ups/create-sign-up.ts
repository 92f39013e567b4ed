import type { SubscriptionRequest } from "../../../app/contract/subscription-request";
import type { SetupIntent } from "../stripe/payments";
import { hashPassword, verifyPassword } from "./password";
import { awaitsTrial, type SignUp } from "./sign-up-store";
import { callStripe, handleCardSetUp, startTrial, type TrialServices } from "./trial";

export type SignUpResult =
  | { status: "created"; clientSecret: string }
  | { status: "duplicate" }
  | { status: "unknown-package" }
  | { status: "key-reused" };

/**
 * Takes a sign-up as far as its setup intent. The row is written first and everything after it can be repeated: the
 * same request under the same key goes on where the last one stopped, and ends at the same setup intent. Where the card
 * is set up already, though the webhook has not told, the trial is begun too.
 * @param request validated by the contract
 * @throws PaymentsError, and what D1 throws; the unchanged request may then be sent again
 */
export async function createSignUp(
  request: SubscriptionRequest,
  idempotencyKey: string,
  services: TrialServices,
): Promise<SignUpResult> {
  const known = await services.signUps.findByKey(idempotencyKey);
  if (known) return resume(known, request, services);

  if (request.package_id !== undefined && (await services.packages.find(request.package_id)) === null) {
    return { status: "unknown-package" };
  }
  if (await isSubscribed(request.email, services)) return { status: "duplicate" };

  const id = crypto.randomUUID();
  const passwordHash = await hashPassword(request.password);
  const stored = await services.signUps.add({ id, idempotencyKey, passwordHash, request });
  return stored.id === id ? secretFor(stored, services) : resume(stored, request, services);
}

async function resume(stored: SignUp, request: SubscriptionRequest, services: TrialServices): Promise<SignUpResult> {
  const same = hasFieldsOf(stored, request) && (await verifyPassword(request.password, stored.password_hash));
  if (!same) return { status: "key-reused" };
  if (stored.status === "superseded" || stored.status === "canceled") return { status: "duplicate" };
  if (stored.status === "pending" && (await services.signUps.hasLive(stored.email))) {
    return { status: "duplicate" };
  }
  return secretFor(stored, services);
}

function hasFieldsOf(stored: SignUp, request: SubscriptionRequest): boolean {
  return (
    stored.package_id === (request.package_id ?? null) &&
    stored.email === request.email &&
    stored.phone === request.phone &&
    stored.company_name === request.company_name &&
    stored.full_name === request.full_name &&
    stored.address === request.address &&
    stored.city === request.city &&
    stored.state === request.state &&
    stored.zip_code === request.zipCode &&
    stored.country === request.country
  );
}

/** Also asks Stripe about the sign-ups that seem to lack a card: the webhook that would have told may be lost. */
async function isSubscribed(email: string, services: TrialServices): Promise<boolean> {
  const { signUps, payments } = services;
  if (await signUps.hasLive(email)) return true;
  for (const pending of await signUps.findPending(email)) {
    const { stripe_customer_id: customerId, stripe_setup_intent_id: setupIntentId } = pending;
    if (customerId === null || setupIntentId === null) continue;
    if ((await payments.retrieveSetupIntent(setupIntentId)).state !== "succeeded") continue;
    await handleCardSetUp({ signUpId: pending.id, customerId, setupIntentId }, services);
    return true;
  }
  return false;
}

async function secretFor(stored: SignUp, services: TrialServices): Promise<SignUpResult> {
  if (awaitsTrial(stored)) await startTrial(stored, services);
  const { signUps } = services;
  const setupIntent = await callStripe(stored, signUps, () => setupIntentFor(stored, services));
  const { id: signUpId, stripe_customer_id: customerId } = stored;
  if (stored.status === "pending" && setupIntent.state === "succeeded" && customerId !== null) {
    const card = { signUpId, customerId, setupIntentId: setupIntent.id };
    if ((await handleCardSetUp(card, services)) === "superseded") return { status: "duplicate" };
  }
  return { status: "created", clientSecret: setupIntent.clientSecret };
}

async function setupIntentFor(stored: SignUp, { signUps, payments }: TrialServices): Promise<SetupIntent> {
  // The secret is not kept here: who reads the database cannot finish somebody's sign-up.
  if (stored.stripe_setup_intent_id !== null) return payments.retrieveSetupIntent(stored.stripe_setup_intent_id);
  let customerId = stored.stripe_customer_id;
  if (customerId === null) {
    customerId = await payments.findOrCreateCustomer(stored);
    await signUps.recordCustomer(stored.id, customerId);
  }
  const made = await payments.findOrCreateSetupIntent(stored, customerId);
  await signUps.recordSetupIntent(stored.id, made.id);
  return made;
}
