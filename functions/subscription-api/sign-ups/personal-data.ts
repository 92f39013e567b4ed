import type { Outbox } from "../outbox/outbox";
import type { Payments } from "../stripe/payments";
import type { SignUp, SignUps } from "./sign-up-store";

export type PersonalDataServices = { signUps: SignUps; outbox: Outbox; payments: Payments };

/** Everything that is kept on one person, but for what is no use to them: the password's hash and internal counters. */
export type PersonalData = { email: string; signUps: Record<string, unknown>[] };

/**
 * What is kept on the person with this e-mail (GDPR, article 15 and 20; CCPA, 1798.110).
 * @param email in its normal form
 * @throws what D1 throws
 */
export async function exportPerson(
  email: string,
  { signUps: store, outbox }: PersonalDataServices,
): Promise<PersonalData> {
  const found = await store.findByEmail(email);
  const signUps = await Promise.all(
    found.map(async (signUp) => ({ ...withoutInternals(signUp), messages: await outbox.of(signUp.id) })),
  );
  return { email, signUps };
}

/**
 * Deletes the person with this e-mail (GDPR, article 17; CCPA, 1798.105): at Stripe the customers, and with them cards
 * and subscriptions, which end at once; here the sign-ups and their messages. Invoices stay at Stripe, as the law wants.
 * What was cut off is finished by repeating it.
 * @param email in its normal form
 * @returns how many sign-ups were deleted
 * @throws PaymentsError, and what D1 throws
 */
export async function erasePerson(
  email: string,
  { signUps, payments }: PersonalDataServices,
): Promise<{ erased: number }> {
  const found = await signUps.findByEmail(email);
  for (const signUp of found) {
    if (signUp.status === "pending") await endSetup(signUp, payments);
    const customerId = signUp.stripe_customer_id ?? (await payments.findCustomer(signUp));
    if (customerId !== undefined) await payments.deleteCustomer(customerId);
    await signUps.erase(signUp.id);
  }
  return { erased: found.length };
}

async function endSetup({ stripe_setup_intent_id: id }: SignUp, payments: Payments): Promise<void> {
  if (id !== null && (await payments.retrieveSetupIntent(id)).state === "open") await payments.cancelSetupIntent(id);
}

function withoutInternals(signUp: SignUp): Record<string, unknown> {
  const { password_hash: _hash, stripe_attempt: _attempt, version: _version, ...kept } = signUp;
  return kept;
}
