import type { AccountWebhook } from "../outbox/account-webhook";
import type { Outbox } from "../outbox/outbox";
import type { SignUp } from "../sign-ups/sign-up";
import type { SignUps } from "../sign-ups/store";
import type { Payments } from "../stripe/payments";

export type PersonalDataServices = {
  signUps: SignUps;
  outbox: Outbox;
  payments: Payments;
  /** Without a console nobody is told of an account's end. */
  accountWebhook: AccountWebhook | undefined;
};

export type PersonalData = { email: string; signUps: Record<string, unknown>[] };

/** GDPR articles 15 and 20, CCPA 1798.110; without the password hash. */
export async function exportPerson(email: string, services: PersonalDataServices): Promise<PersonalData> {
  const { found } = await findPerson(email, services);
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
  const { signUps, payments, outbox, accountWebhook } = services;
  const { found, customers } = await findPerson(email, services);
  const hasClosings = () => outbox.hasClosings(found.map(({ id }) => id));
  if (accountWebhook !== undefined && (await hasClosings())) return "closing-due";
  for (const { status, stripe_setup_intent_id, stripe_customer_id } of found) {
    // A customer's deletion does not end an open card's form.
    if (status === "pending") await payments.releaseCard(stripe_setup_intent_id);
    if (stripe_customer_id !== null) customers.add(stripe_customer_id);
  }
  for (const customerId of customers) await payments.deleteCustomer(customerId);
  for (const { id } of found) await signUps.erase(id);
  return { erased: found.length, customers: customers.size };
}

/** By the email here and at Stripe, where it may be another one by now. */
async function findPerson(
  email: string,
  { signUps, payments }: Pick<PersonalDataServices, "signUps" | "payments">,
): Promise<{ found: SignUp[]; customers: Set<string> }> {
  const [here, atStripe] = [await signUps.findByEmail(email), await payments.findCustomersOf(email)];
  const known = new Set(here.map(({ id }) => id));
  const others = await signUps.findByIds(atStripe.map(({ signUpId }) => signUpId).filter((id) => !known.has(id)));
  return { found: [...here, ...others], customers: new Set(atStripe.map(({ id }) => id)) };
}
