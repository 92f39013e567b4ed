import type Stripe from "stripe";
import * as z from "zod";
import { countryCode } from "../../../app/contract/fields/country";
import { TRIAL_DAYS } from "../../../app/contract/plans";
import type { Config } from "../config";
import { log } from "../log";
import { stripeBilling } from "./billing";
import { stripeSetupIntents } from "./card-setup";
import { type Attempt, call, create, idempotencyKey, ifExists, mayExist, refusalOf } from "./client";
import { dateOf, metadata, originOf } from "./fields";
import { stripeRefunds } from "./refund-payments";

const PAGE = 100;
/** More customers or invoices than one email address can have. */
const MOST = 10_000;

const id = z.string().min(1);

const customer = z.object({ id, metadata });
const deletedCustomer = z.object({ deleted: z.literal(true) });
const status = z.union([
  z.enum(["trialing", "active", "past_due", "canceled"]),
  z.literal("incomplete_expired").transform(() => "canceled" as const),
  z.enum(["incomplete", "unpaid", "paused"]).transform(() => "past_due" as const),
]);
const subscription = z
  .object({ id, metadata, status, trial_end: z.number().nullish(), trial_start: z.number().nullish() })
  .transform(({ id, metadata, status, trial_start, trial_end }) => ({
    metadata,
    state: {
      stripeSubscriptionId: id,
      status,
      trialStart: dateOf(trial_start),
      trialEnd: dateOf(trial_end),
    },
  }));
const customers = z.array(customer);
const subscriptions = z.object({ data: z.array(subscription) });

export type Contact = { email: string; full_name: string; company_name: string; phone: string };
export type BillingAddress = { address: string; city: string; state: string; zip_code: string; country: string };

export type SubscriptionState = z.output<typeof subscription>["state"];

export type Payments = ReturnType<typeof stripePayments>;

/** Repeated calls find the objects of earlier ones. Every method throws PaymentsError. */
export function stripePayments(stripe: Stripe, { automaticTax }: Partial<Pick<Config, "automaticTax">> = {}) {
  /** Lists are current but case-sensitive; sign-ups' emails are lowercase. */
  function customersOf(email: string) {
    return call(customers, () => stripe.customers.list({ email, limit: PAGE }).autoPagingToArray({ limit: MOST }));
  }

  /** Search ignores case but finds a new customer only after a minute: https://docs.stripe.com/search */
  function searchCustomersOf(email: string) {
    const query = `email:"${email.replaceAll(/["\\]/g, "\\$&")}"`;
    return call(customers, () => stripe.customers.search({ query, limit: PAGE }).autoPagingToArray({ limit: MOST }));
  }

  async function findCustomer({ id, email }: { id: string; email: string }): Promise<string | undefined> {
    return (await customersOf(email)).find(belongsTo(id))?.id;
  }

  return {
    ...stripeSetupIntents(stripe),
    ...stripeBilling(stripe),
    ...stripeRefunds(stripe),

    findCustomer,

    async findCustomersOf(email: string): Promise<string[]> {
      const found = [...(await customersOf(email)), ...(await searchCustomersOf(email))];
      const ours = found.filter(({ metadata }) => metadata.sign_up_id !== undefined);
      return [...new Set(ours.map(({ id }) => id))];
    },

    async findOrCreateCustomer(signUp: Attempt & Contact & BillingAddress): Promise<string> {
      const known = mayExist(signUp) ? await findCustomer(signUp) : undefined;
      if (known !== undefined) return known;
      const created = await create(customer, () =>
        stripe.customers.create(
          {
            email: signUp.email,
            name: signUp.full_name,
            business_name: signUp.company_name,
            phone: signUp.phone,
            address: addressOf(signUp),
            metadata: originOf(signUp),
          },
          { idempotencyKey: idempotencyKey("customer", signUp) },
        ),
      );
      return created.id;
    },

    async setDefaultCard(customerId: string, paymentMethodId: string): Promise<void> {
      await call(customer, () =>
        stripe.customers.update(customerId, { invoice_settings: { default_payment_method: paymentMethodId } }),
      );
    },

    /** Charges the customer's default card, even if it changes later. */
    async findOrCreateSubscription(
      signUp: Attempt,
      { customerId, priceId }: { customerId: string; priceId: string },
    ): Promise<SubscriptionState> {
      const known = await call(subscriptions, () =>
        stripe.subscriptions.list({ customer: customerId, status: "all", limit: PAGE }),
      );
      const found = known.data.find(belongsTo(signUp.id));
      if (found) return found.state;
      const subscribe = (object: string, tax: Pick<Stripe.SubscriptionCreateParams, "automatic_tax">) =>
        create(subscription, () =>
          stripe.subscriptions.create(
            {
              ...tax,
              customer: customerId,
              items: [{ price: priceId }],
              metadata: originOf(signUp),
              off_session: true,
              trial_period_days: TRIAL_DAYS,
              trial_settings: { end_behavior: { missing_payment_method: "cancel" } },
            },
            { idempotencyKey: idempotencyKey(object, signUp) },
          ),
        );
      if (!automaticTax) return (await subscribe("subscription", {})).state;
      try {
        return (await subscribe("subscription-taxed", { automatic_tax: { enabled: true } })).state;
      } catch (error) {
        if (refusalOf(error) !== "customer_tax_location_invalid") throw error;
        log("error", "tax_location_invalid", { signUpId: signUp.id });
        return (await subscribe("subscription", {})).state;
      }
    },

    /** Canceled if the subscription no longer exists. */
    async retrieveSubscription(id: string): Promise<SubscriptionState> {
      const found = await ifExists(() => call(subscription, () => stripe.subscriptions.retrieve(id)));
      return found?.state ?? { stripeSubscriptionId: id, status: "canceled", trialStart: null, trialEnd: null };
    },

    /** Cancels immediately without an invoice. Does nothing if the subscription has ended. */
    async cancelSubscription(id: string): Promise<void> {
      await ifExists(() => call(subscription, () => stripe.subscriptions.cancel(id)));
    },

    async deleteCustomer(id: string): Promise<void> {
      await ifExists(() => call(deletedCustomer, () => stripe.customers.del(id)));
    },
  };
}

function addressOf({ address, city, state, zip_code, country }: BillingAddress): Stripe.AddressParam {
  const code = countryCode(country);
  return { line1: address, city, state, postal_code: zip_code, ...(code && { country: code }) };
}

function belongsTo(signUpId: string) {
  return ({ metadata }: { metadata: Record<string, string> }) => metadata.sign_up_id === signUpId;
}
