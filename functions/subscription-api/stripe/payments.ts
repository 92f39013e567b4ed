import type Stripe from "stripe";
import * as z from "zod";
import { countryCode } from "../../../app/contract/fields/country";
import { TRIAL_DAYS } from "../../../app/contract/trial";
import type { Config } from "../config";
import { log } from "../log";
import { stripeBilling } from "./billing";
import { stripeSetupIntents } from "./card-setup";
import {
  type Attempt,
  call,
  create,
  dateOf,
  idempotencyKey,
  ifExists,
  mayExist,
  originOf,
  refusalOf,
  unexpectedAnswer,
} from "./client";

const PAGE = 100;
/** More customers than one email address can have. */
const MOST = 10_000;

/** Marks a cancellation by someone who did not sign up. */
const NOT_ME = "not-me";

/** The states of a subscription in Stripe's API. Any other state means an API version that this code does not know. */
const subscriptionStatus = z.union([
  z.enum(["trialing", "active", "past_due", "canceled"]),
  z.literal("incomplete_expired").transform(() => "canceled" as const),
  z.enum(["incomplete", "unpaid", "paused"]).transform(() => "past_due" as const),
]);

export type Contact = { email: string; full_name: string; company_name: string; phone: string };
export type BillingAddress = { address: string; city: string; state: string; zip_code: string; country: string };

export type SubscriptionState = {
  stripeSubscriptionId: string;
  status: z.output<typeof subscriptionStatus>;
  trialEnd: Date | null;
  /** True if someone with access to the account has canceled, immediately or for later. */
  isCanceledByCustomer: boolean;
};

export type Payments = ReturnType<typeof stripePayments>;

/** Repeated calls find the objects that earlier ones created. Every method throws PaymentsError. */
export function stripePayments(stripe: Stripe, { automaticTax }: Partial<Pick<Config, "automaticTax">> = {}) {
  /** Lists are up to date but case-sensitive, and sign-ups' addresses are lowercase. */
  const customersOf = (email: string) =>
    call(() => stripe.customers.list({ email, limit: PAGE }).autoPagingToArray({ limit: MOST }));

  /** Search ignores case but finds a new customer only after about a minute: https://docs.stripe.com/search */
  const searchCustomersOf = (email: string) => {
    const query = `email:"${email.replaceAll(/["\\]/g, "\\$&")}"`;
    return call(() => stripe.customers.search({ query, limit: PAGE }).autoPagingToArray({ limit: MOST }));
  };

  async function findCustomer({ id, email }: { id: string; email: string }): Promise<string | undefined> {
    return (await customersOf(email)).find(belongsTo(id))?.id;
  }

  /** Empty if the customer no longer exists. */
  const subscriptionsOf = async (customer: string) => {
    const list = () => call(() => stripe.subscriptions.list({ customer, status: "all", limit: PAGE }));
    return (await ifExists(list))?.data ?? [];
  };

  async function setDefaultCard(customerId: string, cardId: string): Promise<void> {
    const invoice_settings = { default_payment_method: cardId };
    await call(() => stripe.customers.update(customerId, { invoice_settings }));
  }

  return {
    ...stripeSetupIntents(stripe),
    ...stripeBilling(stripe),

    findCustomer,

    /** The customers with this email that the API made, each with its sign-up. */
    async findCustomersOf(email: string): Promise<{ id: string; signUpId: string }[]> {
      const found = [...(await customersOf(email)), ...(await searchCustomersOf(email))];
      const ours = found.flatMap(({ id, metadata: { sign_up_id } }) => (sign_up_id ? [[id, sign_up_id] as const] : []));
      return [...new Map(ours)].map(([id, signUpId]) => ({ id, signUpId }));
    },

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
            metadata: originOf(signUp),
          },
          { idempotencyKey: idempotencyKey("customer", signUp) },
        ),
      );
      return created.id;
    },

    setDefaultCard,

    /**
     * The subscription charges the customer's default card, even if it changes later. The price must be the same in each call, because
     * Stripe refuses an idempotency key with other parameters.
     */
    async findOrCreateSubscription(
      signUp: Attempt,
      { customerId, priceId, cardId }: { customerId: string; priceId: string; cardId: string },
    ): Promise<SubscriptionState> {
      const known = (await subscriptionsOf(customerId)).find(belongsTo(signUp.id));
      if (known) return stateOf(known);
      await setDefaultCard(customerId, cardId);
      const subscribe = async (object: string, tax: Pick<Stripe.SubscriptionCreateParams, "automatic_tax">) => {
        const made = await create(() =>
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
        return stateOf(made);
      };
      if (!automaticTax) return subscribe("subscription", {});
      try {
        return await subscribe("subscription-taxed", { automatic_tax: { enabled: true } });
      } catch (error) {
        if (refusalOf(error) !== "customer_tax_location_invalid") throw error;
        log("error", "tax_location_invalid", { signUpId: signUp.id });
        return subscribe("subscription", {});
      }
    },

    /** The subscription that sales created for a trial without a plan: a running one, or else the latest. */
    async findSubscriptionOf(customerId: string): Promise<SubscriptionState | undefined> {
      const states = (await subscriptionsOf(customerId)).map(stateOf);
      return states.find(({ status }) => status !== "canceled") ?? states[0];
    },

    /** Canceled if the subscription no longer exists. */
    async retrieveSubscription(id: string): Promise<SubscriptionState> {
      const found = await ifExists(() => call(() => stripe.subscriptions.retrieve(id)));
      if (found) return stateOf(found);
      return { stripeSubscriptionId: id, status: "canceled", trialEnd: null, isCanceledByCustomer: true };
    },

    /** True if an invoice over more than $0 was paid. */
    async hasPaid(subscription: string): Promise<boolean> {
      const { data } = await call(() => stripe.invoices.list({ subscription, status: "paid", limit: PAGE }));
      return data.some(({ amount_paid }) => amount_paid > 0);
    },

    /** Cancels immediately without an invoice, for someone who did not sign up. Does nothing if the subscription has ended. */
    async cancelSubscription(id: string): Promise<void> {
      await ifExists(() => call(() => stripe.subscriptions.cancel(id, { cancellation_details: { comment: NOT_ME } })));
    },

    async deleteCustomer(id: string): Promise<void> {
      await ifExists(() => call(() => stripe.customers.del(id)));
    },

    async isCustomerDeleted(id: string): Promise<boolean> {
      const found = await ifExists(() => call(() => stripe.customers.retrieve(id)));
      return !found || found.deleted === true;
    },
  };
}

function stateOf(given: Stripe.Subscription): SubscriptionState {
  const status = subscriptionStatus.safeParse(given.status);
  if (!status.success) throw unexpectedAnswer("status");
  const isCanceled = given.status === "canceled" && given.cancellation_details?.comment !== NOT_ME;
  return {
    stripeSubscriptionId: given.id,
    status: status.data,
    trialEnd: dateOf(given.trial_end),
    isCanceledByCustomer: isCanceled || given.cancel_at_period_end || typeof given.cancel_at === "number",
  };
}

function addressOf({ address, city, state, zip_code, country }: BillingAddress): Stripe.AddressParam {
  const code = countryCode(country);
  return { line1: address, city, state, postal_code: zip_code, ...(code && { country: code }) };
}

function belongsTo(signUpId: string) {
  return ({ metadata }: { metadata: Stripe.Metadata }) => metadata.sign_up_id === signUpId;
}
