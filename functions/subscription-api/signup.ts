import type { SubscriptionRequest } from "../../app/signup/contract";
import type { Packages } from "./packages";
import { hashPassword, verifyPassword } from "./password";
import type { Payments } from "./stripe";
import type { Subscription, Subscriptions } from "./subscriptions";

export type SignUpServices = { packages: Packages; subscriptions: Subscriptions; payments: Payments };

export type SignUpResult =
  | { status: "created"; clientSecret: string }
  | { status: "duplicate" }
  | { status: "unknown-package" }
  | { status: "key-reused" };

/**
 * Takes a sign-up as far as its setup intent. The row is written first and everything after it can be repeated: the
 * same request under the same key goes on where the last one stopped, and ends at the same setup intent.
 * @param request validated by the contract
 * @throws PaymentsError, and what D1 throws; the unchanged request may then be sent again
 */
export async function signUp(
  request: SubscriptionRequest,
  idempotencyKey: string,
  services: SignUpServices,
): Promise<SignUpResult> {
  const known = await services.subscriptions.findByKey(idempotencyKey);
  if (known) return resume(known, request, services);

  if (request.package_id !== undefined && !(await services.packages.has(request.package_id))) {
    return { status: "unknown-package" };
  }
  if (await isSubscribed(request.email, services)) return { status: "duplicate" };

  const id = crypto.randomUUID();
  const passwordHash = await hashPassword(request.password);
  const stored = await services.subscriptions.add({ id, idempotencyKey, passwordHash, request });
  return stored.id === id ? secretFor(stored, services) : resume(stored, request, services);
}

async function resume(
  stored: Subscription,
  request: SubscriptionRequest,
  services: SignUpServices,
): Promise<SignUpResult> {
  const same = hasFieldsOf(stored, request) && (await verifyPassword(request.password, stored.password_hash));
  if (!same) return { status: "key-reused" };
  if (stored.status === "superseded" || stored.status === "canceled") return { status: "duplicate" };
  if (stored.status === "pending" && (await services.subscriptions.hasLive(stored.email))) {
    return { status: "duplicate" };
  }
  return secretFor(stored, services);
}

function hasFieldsOf(stored: Subscription, request: SubscriptionRequest): boolean {
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
async function isSubscribed(email: string, { subscriptions, payments }: SignUpServices): Promise<boolean> {
  if (await subscriptions.hasLive(email)) return true;
  for (const pending of await subscriptions.findPending(email)) {
    const { stripe_customer_id: customerId, stripe_setup_intent_id: setupIntentId } = pending;
    if (customerId === null || setupIntentId === null) continue;
    if (!(await payments.retrieveSetupIntent(setupIntentId)).succeeded) continue;
    await subscriptions.activate({ subscriptionId: pending.id, customerId, setupIntentId });
    return true;
  }
  return false;
}

async function secretFor(stored: Subscription, { subscriptions, payments }: SignUpServices): Promise<SignUpResult> {
  if (stored.stripe_setup_intent_id !== null) {
    // The secret is not kept here: who reads the database cannot finish somebody's sign-up.
    const { clientSecret } = await payments.retrieveSetupIntent(stored.stripe_setup_intent_id);
    return { status: "created", clientSecret };
  }
  const customerId = stored.stripe_customer_id ?? (await makeCustomer(stored, { subscriptions, payments }));
  const { id, clientSecret } = await payments.createSetupIntent(stored.id, customerId);
  await subscriptions.recordSetupIntent(stored.id, id);
  return { status: "created", clientSecret };
}

async function makeCustomer(
  stored: Subscription,
  { subscriptions, payments }: Omit<SignUpServices, "packages">,
): Promise<string> {
  const customerId = await payments.createCustomer(stored.id, {
    email: stored.email,
    name: stored.full_name,
    company: stored.company_name,
    phone: stored.phone,
  });
  await subscriptions.recordCustomer(stored.id, customerId);
  return customerId;
}
