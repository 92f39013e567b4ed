import type Stripe from "stripe";
import { countryCode } from "../../../app/contract/fields/country";
import { type Attempt, belongsTo, call, create, idempotencyKey, ifExists, mayExist, originOf } from "./client";
import type { CreatedCustomer } from "./webhook-events";

const PAGE = 100;
/** More customers than one email address has. */
const MOST = 10_000;

export type Contact = { email: string; full_name: string; company_name: string; phone: string };
export type BillingAddress = { address: string; city: string; state: string; zip_code: string; country: string };

/** A customer that the API made for a sign-up. */
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

  /** The customers that the API made, each with its sign-up. */
  const oursAmong = (customers: readonly Stripe.Customer[]): OurCustomer[] => {
    const ours = customers.flatMap(({ id, metadata: { sign_up_id } }) =>
      sign_up_id ? [[id, sign_up_id] as const] : [],
    );
    return [...new Map(ours)].map(([id, signUpId]) => ({ id, signUpId }));
  };

  async function findCustomer({ id, email }: { id: string; email: string }): Promise<string | undefined> {
    return (await customersOf(email)).find(belongsTo(id))?.id;
  }

  return {
    findCustomer,

    /** Our customers with this email. */
    findCustomersOf: async (email: string): Promise<OurCustomer[]> =>
      oursAmong([...(await customersOf(email)), ...(await searchCustomersOf(email))]),

    async findOrCreateCustomer(signUp: Attempt & Contact & BillingAddress): Promise<string> {
      const known = mayExist(signUp) ? await findCustomer(signUp) : undefined;
      if (known !== undefined) return known;
      const created = await create(() =>
        stripe.customers.create(
          {
            email: signUp.email,
            name: signUp.full_name,
            business_name: signUp.company_name,
            phone: signUp.phone,
            address: addressOf(signUp),
            metadata: { ...originOf(signUp), subscription_api: api },
          },
          { idempotencyKey: idempotencyKey("customer", signUp) },
        ),
      );
      return created.id;
    },

    /** True if the event is about a customer that this API made. */
    isOurs: (customer: CreatedCustomer): boolean => customer.api === api,

    setDefaultCard: (customerId: string, cardId: string) => setDefaultCard(stripe, customerId, cardId),

    async deleteCustomer(id: string): Promise<void> {
      await ifExists(() => call(() => stripe.customers.del(id)));
    },

    async isCustomerDeleted(id: string): Promise<boolean> {
      const found = await ifExists(() => call(() => stripe.customers.retrieve(id)));
      return !found || found.deleted === true;
    },
  };
}

/** Every subscription of the customer without a card of its own charges this card. */
export async function setDefaultCard(stripe: Stripe, customerId: string, cardId: string): Promise<void> {
  const invoice_settings = { default_payment_method: cardId };
  await call(() => stripe.customers.update(customerId, { invoice_settings }));
}

function addressOf({ address, city, state, zip_code, country }: BillingAddress): Stripe.AddressParam {
  const code = countryCode(country);
  return { line1: address, city, state, postal_code: zip_code, ...(code && { country: code }) };
}
