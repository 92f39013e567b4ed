import type Stripe from "stripe";
import * as z from "zod";
import { TRIAL_DAYS } from "../../../app/contract/trial";
import type { Config } from "../config";
import { log } from "../log";
import {
  type Attempt,
  belongsTo,
  call,
  create,
  dateOf,
  idempotencyKey,
  ifExists,
  originOf,
  refusalOf,
  unexpectedAnswer,
} from "./client";
import { setDefaultCard } from "./customers";

const PAGE = 100;

/** Marks a cancellation by someone who did not sign up. */
const NOT_ME = "not-me";

/** The states of a subscription in Stripe's API. Any other state means an API version that this code does not know. */
const subscriptionStatus = z.union([
  z.enum(["trialing", "active", "past_due", "canceled"]),
  z.literal("incomplete_expired").transform(() => "canceled" as const),
  z.enum(["incomplete", "unpaid", "paused"]).transform(() => "past_due" as const),
]);

export type SubscriptionState = {
  stripeSubscriptionId: string;
  status: z.output<typeof subscriptionStatus>;
  trialEnd: Date | null;
  /** True if anyone but this API has canceled it, immediately or for later; Stripe included. */
  isCanceledByCustomer: boolean;
};

export type Taxes = Partial<Pick<Config, "automaticTax">>;

export function stripeSubscriptions(stripe: Stripe, { automaticTax }: Taxes) {
  /** Empty if the customer no longer exists. */
  const subscriptionsOf = async (customer: string) => {
    const list = () => call(() => stripe.subscriptions.list({ customer, status: "all", limit: PAGE }));
    return (await ifExists(list))?.data ?? [];
  };

  /** Canceled if the subscription no longer exists. */
  async function retrieve(id: string): Promise<SubscriptionState> {
    const found = await ifExists(() => call(() => stripe.subscriptions.retrieve(id)));
    if (found) return stateOf(found);
    return { stripeSubscriptionId: id, status: "canceled", trialEnd: null, isCanceledByCustomer: true };
  }

  return {
    /**
     * The subscription charges the customer's default card, even if it changes later. The price must be the same in each call, because
     * Stripe refuses an idempotency key with other parameters.
     */
    async findOrCreateSubscription(
      signUp: Attempt,
      { customerId, stripePriceId, cardId }: { customerId: string; stripePriceId: string; cardId: string },
    ): Promise<SubscriptionState> {
      const known = (await subscriptionsOf(customerId)).find(belongsTo(signUp.id));
      if (known) return stateOf(known);
      await setDefaultCard(stripe, customerId, cardId);
      const subscribe = async (object: string, tax: Pick<Stripe.SubscriptionCreateParams, "automatic_tax">) => {
        const made = await create(() =>
          stripe.subscriptions.create(
            {
              ...tax,
              customer: customerId,
              items: [{ price: stripePriceId }],
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

    retrieveSubscription: retrieve,

    /** True if an invoice over more than $0 was paid. */
    async hasPaid(subscription: string): Promise<boolean> {
      const { data } = await call(() => stripe.invoices.list({ subscription, status: "paid", limit: PAGE }));
      return data.some(({ amount_paid }) => amount_paid > 0);
    },

    /**
     * Cancels immediately without an invoice, for someone who did not sign up. Does nothing if the subscription has ended. Returns the
     * subscription afterward.
     */
    async cancelSubscription(id: string): Promise<SubscriptionState> {
      const cancel = () => stripe.subscriptions.cancel(id, { cancellation_details: { comment: NOT_ME } });
      const canceled = await ifExists(() => call(cancel));
      return canceled ? stateOf(canceled) : retrieve(id);
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
