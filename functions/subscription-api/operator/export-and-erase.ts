import type { AccountWebhook } from "../outbox/account-webhook";
import type { MessageKind, Outbox } from "../outbox/outbox";
import type { SignUp } from "../sign-up";
import type { SignUps } from "../sign-ups/store";
import { PaymentsError } from "../stripe/client";
import type { OurCustomer } from "../stripe/customers";
import type { Payments } from "../stripe/payments";

export type PersonServices = {
  signUps: SignUps;
  outbox: Outbox;
  payments: Payments;
  /** Undefined without a console, which would have to learn that an account is closed. */
  accountWebhook: AccountWebhook | undefined;
};

export type PersonalData = { email: string; signUps: Record<string, unknown>[] };

/** All data but hashes and bookkeeping (GDPR articles 15, 20; CCPA 1798.110). Throws PaymentsError and D1's errors. */
export async function exportPerson(email: string, services: PersonServices): Promise<PersonalData> {
  const { found } = await findPerson(email, services);
  const signUps = await Promise.all(
    found.map(async ({ password_hash: _hash, stripe_attempt: _attempt, version: _version, ...exported }) => {
      return { ...exported, messages: await services.outbox.messagesOf(exported.id) };
    }),
  );
  return { email, signUps };
}

export type Erasure =
  | { status: "erased"; signUps: number; customers: number }
  /** Support or the console still has to get these messages. Erase again after that. */
  | { status: "waiting"; waitsFor: MessageKind[] };

/**
 * GDPR article 17, CCPA 1798.105. Keeps a trial's keyed hashes (table `trial_claims`) and Stripe's invoices. A customer that Stripe
 * is still creating is deleted when its event arrives. Can be repeated. Throws PaymentsError and D1's errors.
 */
export async function erasePerson(email: string, services: PersonServices): Promise<Erasure> {
  const { payments, outbox, accountWebhook } = services;
  const { found, atStripe } = await findPerson(email, services);
  const ids = found.map(({ id }) => id);
  const waitsFor = await outbox.undeliveredKinds(ids, accountWebhook !== undefined);
  if (waitsFor.length > 0) return { status: "waiting", waitsFor };
  const customers = new Set(atStripe.map(({ id }) => id));
  for (const { status, stripe_setup_intent_id, stripe_customer_id } of found) {
    // Deleting a customer would leave its card form open.
    if ((status === "pending" || status === "ended") && !(await payments.releaseCard(stripe_setup_intent_id))) {
      throw new PaymentsError("in-progress");
    }
    if (stripe_customer_id !== null) customers.add(stripe_customer_id);
  }
  for (const customerId of customers) await payments.deleteCustomer(customerId);
  for (const id of ids) {
    const late = await eraseRow(id, services);
    if (late.length > 0) return { status: "waiting", waitsFor: late };
  }
  // Until its row was gone, the event of a customer that Stripe had just created changed nothing.
  const created = (await payments.findCustomersOf(email)).filter(({ signUpId }) => ids.includes(signUpId));
  for (const { id } of created) await payments.deleteCustomer(id);
  return { status: "erased", signUps: ids.length, customers: customers.size + created.length };
}

/** Deletes only the version that was read, so that no message written in the meantime is lost. Returns the messages to wait for. */
async function eraseRow(id: string, { signUps, outbox, accountWebhook }: PersonServices): Promise<MessageKind[]> {
  for (let signUp = await signUps.find(id); signUp !== null; signUp = await signUps.find(id)) {
    const waitsFor = await outbox.undeliveredKinds([id], accountWebhook !== undefined);
    if (waitsFor.length > 0) return waitsFor;
    await signUps.delete(signUp);
  }
  return [];
}

/** Searches by email address here and at Stripe, where the address may have changed. */
async function findPerson(
  email: string,
  { signUps, payments }: Pick<PersonServices, "signUps" | "payments">,
): Promise<{ found: SignUp[]; atStripe: OurCustomer[] }> {
  const [here, atStripe] = [await signUps.findByEmail(email), await payments.findCustomersOf(email)];
  const known = new Set(here.map(({ id }) => id));
  const others = await signUps.findByIds(atStripe.map(({ signUpId }) => signUpId).filter((id) => !known.has(id)));
  return { found: [...here, ...others], atStripe };
}
