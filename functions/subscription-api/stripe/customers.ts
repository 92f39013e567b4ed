import type Stripe from "stripe";
import { countryCode } from "../../../app/contract/fields/country";
import { type Attempt, call, findOrCreate, ifExists, originOf } from "./client";
import type { CreatedCustomer } from "./webhook-events";

const PAGE = 100;
/** More customers than one email address has. */
const MOST = 10_000;
const HAD_TRIAL = { had_trial: "true" };

export type Contact = { email: string; full_name: string; company_name: string; phone: string };
export type BillingAddress = { address: string; city: string; state: string; zip_code: string; country: string };

export type OurCustomer = { id: string; signUpId: string };

/** @param api the API's URL. It is in a customer's metadata, because several stages may share a Stripe account. */
export function stripeCustomers(stripe: Stripe, api: string) {
  /** Lists are up to date but case-sensitive, and sign-ups' addresses are lowercase. */
  const customersOf = (email: string) =>
    call(() => stripe.customers.list({ email, limit: PAGE }).autoPagingToArray({ limit: MOST }));

  /** Search ignores case but finds a new customer only after about a minute: https://docs.stripe.com/search */
  const searchCustomersOf = (email: string) => {
    const query = `email:"${email.replaceAll(/["\\]/g, "\\$&")}"`;
    return call(() => stripe.customers.search({ query, limit: PAGE }).autoPagingToArray({ limit: MOST }));
  };

  const oursAmong = (customers: readonly Stripe.Customer[]): OurCustomer[] => {
    const ours = customers.flatMap(({ id, metadata: { sign_up_id } }) =>
      sign_up_id ? [[id, sign_up_id] as const] : [],
    );
    return [...new Map(ours)].map(([id, signUpId]) => ({ id, signUpId }));
  };

  async function findCustomer({ id, email }: { id: string; email: string }): Promise<string | undefined> {
    return (await customersOf(email)).find(({ metadata }) => metadata.sign_up_id === id)?.id;
  }

  return {
    findCustomer,

    findCustomersOf: async (email: string): Promise<OurCustomer[]> =>
      oursAmong([...(await customersOf(email)), ...(await searchCustomersOf(email))]),

    findOrCreateCustomer(signUp: Attempt & Contact & BillingAddress): Promise<string> {
      const params = {
        email: signUp.email,
        name: signUp.full_name,
        business_name: signUp.company_name,
        phone: signUp.phone,
        address: addressOf(signUp),
        metadata: { ...originOf(signUp), subscription_api: api },
      };
      const make = async (options: Stripe.RequestOptions) => (await stripe.customers.create(params, options)).id;
      return findOrCreate(signUp, () => findCustomer(signUp), make, "customer");
    },

    isOurs: (customer: CreatedCustomer): boolean => customer.api === api,

    /** For a trial without a plan, which has no object at Stripe. */
    async startTrialWithoutPlan(customerId: string, cardId: string): Promise<void> {
      await setDefaultCard(stripe, customerId, cardId, { metadata: HAD_TRIAL });
    },

    async deleteCustomer(id: string): Promise<void> {
      await ifExists(() => call(() => stripe.customers.del(id)));
    },

    /** Whether the customer has had a trial, with a plan or without, or a subscription; null if there is no such customer. */
    async hasCustomerHadTrial(id: string): Promise<boolean | null> {
      const found = await ifExists(() => call(() => stripe.customers.retrieve(id)));
      if (!found || found.deleted) return null;
      if (found.metadata?.had_trial === HAD_TRIAL.had_trial) return true;
      const { data } = await call(() => stripe.subscriptions.list({ customer: id, status: "all", limit: 1 }));
      return data.length > 0;
    },
  };
}

/** Every subscription of the customer without a card of its own charges this card. */
export function setDefaultCard(stripe: Stripe, customerId: string, cardId: string, more: Stripe.CustomerUpdateParams) {
  const invoice_settings = { default_payment_method: cardId };
  return call(() => stripe.customers.update(customerId, { invoice_settings, ...more }));
}

function addressOf({ address, city, state, zip_code, country }: BillingAddress): Stripe.AddressParam {
  const code = countryCode(country);
  return { line1: address, city, state, postal_code: zip_code, ...(code && { country: code }) };
}
