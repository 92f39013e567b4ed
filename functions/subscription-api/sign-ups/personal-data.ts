import type { TrialClaims } from "../limits/trial-claims";
import { type DispatchServices, sendClosings } from "../outbox/dispatch";
import type { Outbox } from "../outbox/outbox";
import type { Payments } from "../stripe/payments";
import { releaseCard } from "./ending/failed-cards";
import type { SignUps } from "./store/sign-up-store";

export type PersonalDataServices = {
  signUps: SignUps;
  outbox: Outbox;
  payments: Payments;
  claims: TrialClaims;
} & DispatchServices;

export type PersonalData = { email: string; signUps: Record<string, unknown>[] };

/** GDPR articles 15 and 20, CCPA 1798.110; without the password hash. */
export async function exportPerson(email: string, services: PersonalDataServices): Promise<PersonalData> {
  const found = await services.signUps.findByEmail(email);
  const signUps = await Promise.all(
    found.map(async ({ password_hash: _hash, stripe_attempt: _attempt, version: _version, ...kept }) => {
      return { ...kept, messages: await services.outbox.messagesOf(kept.id) };
    }),
  );
  return { email, signUps };
}

/**
 * GDPR article 17, CCPA 1798.105. Keeps a trial's keyed hashes (table `trial_claims`) and Stripe's invoices. Erases nothing while
 * the console must still be told of an account's end (`closing-due`).
 */
export async function erasePerson(
  email: string,
  services: PersonalDataServices,
): Promise<{ erased: number; customers: number } | "closing-due"> {
  const { signUps, payments, claims } = services;
  const found = await signUps.findByEmail(email);
  const ids = found.map(({ id }) => id);
  if (!(await sendClosings(ids, services))) return "closing-due";
  let customers = 0;
  const deleteCustomer = async (id: string) => {
    await payments.deleteCustomer(id);
    customers += 1;
  };
  for (const signUp of found) {
    if (signUp.status === "pending") await releaseCard(signUp, payments);
    const customerId = signUp.stripe_customer_id ?? (await payments.findCustomer(signUp));
    if (customerId !== undefined) await deleteCustomer(customerId);
    await signUps.erase(signUp.id, claims.of(signUp.email, null).email);
  }
  for (const customerId of await payments.findCustomersOf(email)) await deleteCustomer(customerId);
  return { erased: found.length, customers };
}
