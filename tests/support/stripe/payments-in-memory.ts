import { TRIAL_DAYS } from "../../../app/contract/plan-prices";
import { PaymentsError, stripeClient } from "../../../functions/subscription-api/stripe/client";
import {
  type Payments,
  type SubscriptionState,
  stripePayments,
} from "../../../functions/subscription-api/stripe/payments";
import type { SetupIntent } from "../../../functions/subscription-api/stripe/setup-intents";
import { STRIPE_CONFIG } from "./stripe-answers";

type Invoice = NonNullable<Awaited<ReturnType<Payments["findInvoice"]>>>;

const DAY = 24 * 60 * 60_000;

const noCall: typeof fetch = async () => {
  throw new Error("This test calls what payments in memory do not have");
};

/** The nth card of Stripe, set up for a sign-up: `seti_1` with `pm_1`, of `cus_1`. */
export function cardSetUp(n: number, signUpId: string, fields: Partial<SetupIntent> = {}): SetupIntent {
  return {
    id: `seti_${n}`,
    clientSecret: `seti_${n}_secret`,
    state: "succeeded",
    customerId: "cus_1",
    signUpId,
    usedCards: 0,
    paymentMethodId: `pm_${n}`,
    fingerprint: `print_${n}`,
    ...fields,
  };
}

/** Stands in for what sign-ups ask of Stripe: it has what a test puts there, and lists the calls. */
export function paymentsInMemory() {
  const setupIntents = new Map<string, SetupIntent>();
  const subscriptions = new Map<string, SubscriptionState>();
  const invoices = new Map<string, Invoice>();
  const customers = new Map<string, string>();
  const calls: string[] = [];
  let made = 0;

  function known(id: string): SetupIntent {
    const found = setupIntents.get(id);
    if (!found) throw new PaymentsError("unexpected-answer");
    return found;
  }

  const payments: Payments = {
    ...stripePayments(stripeClient(STRIPE_CONFIG, "nobody", noCall)),

    async findSetupIntent(id) {
      calls.push(`findSetupIntent ${id}`);
      return setupIntents.get(id);
    },
    async retrieveSetupIntent(id) {
      calls.push(`retrieveSetupIntent ${id}`);
      return known(id);
    },
    async cancelSetupIntent(id) {
      calls.push(`cancelSetupIntent ${id}`);
      setupIntents.set(id, { ...known(id), state: "canceled" });
    },
    async deleteCustomer(id) {
      calls.push(`deleteCustomer ${id}`);
    },
    async detachCard(id) {
      calls.push(`detachCard ${id}`);
    },
    async setDefaultCard(_signUp, customerId, paymentMethodId) {
      calls.push(`setDefaultCard ${customerId} ${paymentMethodId}`);
    },
    async findOrCreateCustomer({ id }) {
      calls.push("findOrCreateCustomer");
      const customerId = customers.get(id) ?? `cus_${customers.size + 1}`;
      customers.set(id, customerId);
      return customerId;
    },
    async findOrCreateSetupIntent({ id, used_cards: usedCards }, customerId) {
      calls.push(`findOrCreateSetupIntent ${customerId}`);
      const found = [...setupIntents.values()].find((one) => one.signUpId === id && one.usedCards === usedCards);
      const open = { state: "open", customerId, usedCards, paymentMethodId: null, fingerprint: null } as const;
      if (found) return found;
      made += 1;
      const setupIntent = cardSetUp(made, id, open);
      setupIntents.set(setupIntent.id, setupIntent);
      return setupIntent;
    },
    async findOrCreateSubscription(_signUp, { customerId, priceId }) {
      calls.push(`findOrCreateSubscription ${customerId} ${priceId}`);
      const now = Date.now();
      const state: SubscriptionState = {
        stripeSubscriptionId: "sub_1",
        status: "trialing",
        trialStart: new Date(now),
        trialEnd: new Date(now + TRIAL_DAYS * DAY),
      };
      return subscriptions.get("sub_1") ?? state;
    },
    async retrieveSubscription(id) {
      calls.push(`retrieveSubscription ${id}`);
      const found = subscriptions.get(id);
      return found ?? { stripeSubscriptionId: id, status: "canceled", trialStart: null, trialEnd: null };
    },
    async findInvoice(id) {
      calls.push(`findInvoice ${id}`);
      return invoices.get(id);
    },
  };
  const add = (...added: SetupIntent[]) => {
    for (const setupIntent of added) setupIntents.set(setupIntent.id, setupIntent);
  };
  return { payments, calls, setupIntents, subscriptions, invoices, add };
}
