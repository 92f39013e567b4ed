import type { SubscriptionRequest } from "../../../app/contract/subscription-request";
import { sleep } from "../../../app/shared/sleep";
import { CONNECTIONS } from "../limits/in-parallel";
import type { SetupIntent } from "../stripe/card-setup";
import { PaymentsError } from "../stripe/client";
import type { PasswordPlace } from "./password/password-queue";
import { deleteSignUp, startOrDelete } from "./reconcile";
import { CONTINUED_FOR_MS, isOlder, type SignUp } from "./sign-up";
import { callStripe, handleCardSetUp, startTrial, type TrialServices } from "./start-trial";
import { columnsOf } from "./store/field-columns";

export type SignUpServices = TrialServices & {
  passwords: PasswordPlace;
  inBackground(work: Promise<unknown>): void;
  requestId: string;
};

const ASKED = CONNECTIONS;

/** It only tells a duplicate early. */
const ASKED_WITHIN_MS = 2_000;

export type SignUpResult =
  | { status: "created"; clientSecret: string; signUp: Pick<SignUp, "id" | "created_at"> }
  | { status: "duplicate" }
  | { status: "unknown-package" }
  | { status: "key-reused" }
  /** The key's sign-up was deleted; a retry starts a new one. */
  | { status: "ended" }
  | { status: "email-refused" }
  /** The password could not be hashed in time; nothing was stored. */
  | { status: "busy" };

/** Idempotent: the same request with the same key continues after a failure. */
export async function createSignUp(
  request: SubscriptionRequest,
  idempotencyKey: string,
  services: SignUpServices,
): Promise<SignUpResult> {
  const { packages, passwords, signUps } = services;
  const known = await signUps.findByKey(idempotencyKey);
  if (known) return resume(known, request, services);
  const isSold = request.package_id === undefined || (await packages.find(request.package_id)) !== null;
  if (!isSold) return { status: "unknown-package" };
  // Hashed before the email lookup, so that known and new addresses take equally long.
  const passwordHash = await passwords.hash(request.password);
  if (passwordHash === undefined) return { status: "busy" };
  if (await hasHadTrial(request.email, services)) return { status: "duplicate" };
  if (await hasCardSetUp(request.email, services)) return { status: "duplicate" };

  const id = crypto.randomUUID();
  const stored = await services.signUps.add({
    id,
    idempotencyKey,
    passwordHash,
    request,
    requestId: services.requestId,
  });
  return stored.id === id ? finish(stored, services) : resume(stored, request, services);
}

async function resume(stored: SignUp, request: SubscriptionRequest, services: SignUpServices): Promise<SignUpResult> {
  const samePassword = await services.passwords.verify(request.password, stored.password_hash);
  if (samePassword === undefined) return { status: "busy" };
  if (!samePassword || !hasFieldsOf(stored, request)) return { status: "key-reused" };
  if (stored.status === "ended" || stored.status === "canceled") return { status: "duplicate" };
  if (stored.status !== "pending") return finish(stored, services);
  if (await hasHadTrial(stored.email, services)) return { status: "duplicate" };
  return isOlder(stored, CONTINUED_FOR_MS) ? endOld(stored, services) : finish(stored, services);
}

async function endOld(old: SignUp, services: TrialServices): Promise<SignUpResult> {
  await startOrDelete(old, CONTINUED_FOR_MS, services);
  const left = await services.signUps.find(old.id);
  if (left === null || left.status === "pending") return { status: "ended" };
  return left.status === "ended" ? { status: "duplicate" } : finish(left, services);
}

function hasFieldsOf(stored: SignUp, request: SubscriptionRequest): boolean {
  return Object.entries(columnsOf(request)).every(([name, value]) => Reflect.get(stored, name) === value);
}

/** Asks Stripe, because a webhook may be lost. False while Stripe is slow. */
async function hasCardSetUp(email: string, services: SignUpServices): Promise<boolean> {
  const pending = await services.signUps.findPending(email, { limit: ASKED });
  const asked = Promise.all(pending.map((signUp) => lookForCard(signUp, services)));
  const found = await Promise.race([asked, sleep(ASKED_WITHIN_MS)]);
  if (!found) services.inBackground(asked);
  return found?.includes(true) === true && (await hasHadTrial(email, services));
}

async function lookForCard(signUp: SignUp, services: TrialServices): Promise<boolean> {
  const setupIntent = await services.payments.findSetupIntent(signUp.stripe_setup_intent_id);
  if (setupIntent?.state !== "succeeded") return false;
  await handleCardSetUp(signUp, setupIntent, services);
  return true;
}

function hasHadTrial(email: string, { signUps, claims }: TrialServices): Promise<boolean> {
  return signUps.hasHadTrial(email, claims.emailsOf(email));
}

async function finish(stored: SignUp, services: TrialServices): Promise<SignUpResult> {
  if (stored.status === "card_set_up") await startTrial(stored, services);
  let setupIntent: SetupIntent;
  try {
    setupIntent = await callStripe(stored, services, () => setupIntentFor(stored, services));
  } catch (error) {
    if (!(error instanceof PaymentsError) || error.reason !== "email-refused") throw error;
    // A sign-up without a customer ends only here.
    await services.signUps.deleteUnchanged(stored);
    return { status: "email-refused" };
  }
  if (stored.status === "pending" && setupIntent.state === "canceled") {
    await deleteSignUp(stored, services);
    return { status: "ended" };
  }
  if (stored.status === "pending" && setupIntent.state === "succeeded") {
    const outcome = await handleCardSetUp(stored, setupIntent, services);
    if (outcome === "ended") return { status: "duplicate" };
    const waiting = outcome === "pending" ? await services.signUps.find(stored.id) : null;
    if (waiting) return finish(waiting, services);
  }
  return { status: "created", clientSecret: setupIntent.clientSecret, signUp: stored };
}

/** Read from Stripe and never stored, so that a leaked database cannot finish a sign-up. */
export async function setupIntentFor(stored: SignUp, { signUps, payments }: TrialServices): Promise<SetupIntent> {
  if (stored.stripe_setup_intent_id !== null) return payments.retrieveSetupIntent(stored.stripe_setup_intent_id);
  let customerId = stored.stripe_customer_id;
  if (customerId === null) {
    customerId = await payments.findOrCreateCustomer(stored);
    await signUps.recordCustomer(stored.id, customerId);
  }
  const setupIntent = await payments.findOrCreateSetupIntent(stored, customerId);
  await signUps.recordSetupIntent(stored, setupIntent.id);
  return setupIntent;
}
