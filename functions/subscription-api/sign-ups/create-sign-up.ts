import type { SubscriptionRequest } from "../../../app/contract/subscription-request";
import type { SetupIntent } from "../stripe/payments";
import type { PasswordPlace } from "./password-queue";
import { awaitsTrial, type SignUp } from "./sign-up";
import { callStripe, handleCardSetUp, startTrial, type TrialServices } from "./trial";

export type SignUpServices = TrialServices & { passwords: PasswordPlace };

export type SignUpResult =
  | { status: "created"; clientSecret: string }
  | { status: "duplicate" }
  | { status: "unknown-package" }
  | { status: "key-reused" };

/** Creates a sign-up and its setup intent. The same request under the same key continues after a failure. */
export async function createSignUp(
  request: SubscriptionRequest,
  idempotencyKey: string,
  services: SignUpServices,
): Promise<SignUpResult> {
  const { packages, passwords, signUps } = services;
  const hashed = await passwords.inTurn(async (hasher) => {
    const known = await signUps.findByKey(idempotencyKey);
    if (known) return { known, samePassword: await hasher.verify(request.password, known.password_hash) };
    const isSold = request.package_id === undefined || (await packages.find(request.package_id)) !== null;
    // Before the e-mail is looked up: a known one takes as long as a new one.
    return isSold ? { passwordHash: await hasher.hash(request.password) } : undefined;
  });
  if (hashed === undefined) return { status: "unknown-package" };
  if (hashed.known) return resume(hashed.known, hashed.samePassword, request, services);
  if (await isSubscribed(request.email, services)) return { status: "duplicate" };

  const id = crypto.randomUUID();
  const { passwordHash } = hashed;
  const stored = await services.signUps.add({ id, idempotencyKey, passwordHash, request });
  if (stored.id === id) return finish(stored, services);
  const samePassword = await passwords.inTurn((hasher) => hasher.verify(request.password, stored.password_hash));
  return resume(stored, samePassword, request, services);
}

/**
 * Gives up the pending sign-up of an idempotency key, because its visitor has changed it into another one. Its setup
 * intent is cancelled first: from then on no card can be set up for it.
 */
export async function replaceSignUp(idempotencyKey: string, services: TrialServices): Promise<void> {
  const { lifecycle, payments, signUps } = services;
  const replaced = await signUps.findByKey(idempotencyKey);
  if (replaced?.status !== "pending") return;
  const { id: signUpId, stripe_customer_id: customerId, stripe_setup_intent_id: setupIntentId } = replaced;
  if (setupIntentId !== null) {
    const { state } = await payments.retrieveSetupIntent(setupIntentId);
    if (state === "succeeded" && customerId !== null) {
      await handleCardSetUp({ signUpId, customerId, setupIntentId }, services);
      return;
    }
    if (state === "open") await payments.cancelSetupIntent(setupIntentId);
  }
  await lifecycle.supersede(signUpId);
}

async function resume(
  stored: SignUp,
  samePassword: boolean,
  request: SubscriptionRequest,
  services: TrialServices,
): Promise<SignUpResult> {
  if (!samePassword || !hasFieldsOf(stored, request)) return { status: "key-reused" };
  if (stored.status === "superseded" || stored.status === "canceled") return { status: "duplicate" };
  if (stored.status === "pending" && (await services.signUps.hasLive(stored.email))) return { status: "duplicate" };
  return finish(stored, services);
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

/** Also asks Stripe, since a webhook may be lost. */
async function isSubscribed(email: string, services: TrialServices): Promise<boolean> {
  const { signUps, payments } = services;
  if (await signUps.hasLive(email)) return true;
  for (const { id, stripe_customer_id: customerId, stripe_setup_intent_id } of await signUps.findPending(email)) {
    if (customerId === null || stripe_setup_intent_id === null) continue;
    const setupIntent = await payments.retrieveSetupIntent(stripe_setup_intent_id);
    if (setupIntent.state !== "succeeded") continue;
    await handleCardSetUp({ signUpId: id, customerId, setupIntentId: setupIntent.id }, services);
    return true;
  }
  return false;
}

async function finish(stored: SignUp, services: TrialServices): Promise<SignUpResult> {
  if (awaitsTrial(stored)) await startTrial(stored, services);
  const setupIntent = await callStripe(stored, services, () => setupIntentFor(stored, services));
  const { id: signUpId, stripe_customer_id: customerId } = stored;
  if (stored.status === "pending" && setupIntent.state === "succeeded" && customerId !== null) {
    const card = { signUpId, customerId, setupIntentId: setupIntent.id };
    if ((await handleCardSetUp(card, services)) === "superseded") return { status: "duplicate" };
  }
  return { status: "created", clientSecret: setupIntent.clientSecret };
}

/** The client secret is not stored: whoever reads the database cannot finish a sign-up. */
async function setupIntentFor(stored: SignUp, { signUps, payments }: TrialServices): Promise<SetupIntent> {
  if (stored.stripe_setup_intent_id !== null) return payments.retrieveSetupIntent(stored.stripe_setup_intent_id);
  let customerId = stored.stripe_customer_id;
  if (customerId === null) {
    customerId = await payments.findOrCreateCustomer(stored);
    await signUps.recordCustomer(stored.id, customerId);
  }
  const setupIntent = await payments.findOrCreateSetupIntent(stored, customerId);
  await signUps.recordSetupIntent(stored.id, setupIntent.id);
  return setupIntent;
}
