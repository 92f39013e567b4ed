import type Stripe from "stripe";
import * as z from "zod";
import { log } from "../log";
import {
  type Attempt,
  call,
  dateOf,
  findOrCreate,
  ifExists,
  originOf,
  PaymentsError,
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
  /** Undefined for a subscription that sales created. */
  signUpId: string | undefined;
  status: z.output<typeof subscriptionStatus>;
  trialEnd: Date | null;
  /** True if anyone but this API has canceled it, immediately or for later; Stripe included. */
  isCanceledByCustomer: boolean;
};

type Terms = { tax_added: boolean; trial_days: number };

export function stripeSubscriptions(stripe: Stripe) {
  /** Empty if the customer no longer exists. */
  const statesOf = async (customer: string) => {
    const list = () => call(() => stripe.subscriptions.list({ customer, status: "all", limit: PAGE }));
    return ((await ifExists(list))?.data ?? []).map(stateOf);
  };

  /** Canceled if the subscription no longer exists. */
  async function retrieve(id: string): Promise<SubscriptionState> {
    const found = await ifExists(() => call(() => stripe.subscriptions.retrieve(id)));
    if (found) return stateOf(found);
    const gone = { status: "canceled", trialEnd: null, isCanceledByCustomer: true } as const;
    return { stripeSubscriptionId: id, signUpId: undefined, ...gone };
  }

  return {
    /** The subscription charges the customer's default card, even if it changes later. */
    async findOrCreateSubscription(
      signUp: Attempt & Terms,
      { customerId, stripePriceId, cardId }: { customerId: string; stripePriceId: string; cardId: string },
    ): Promise<SubscriptionState> {
      const find = async () => mainOf((await statesOf(customerId)).filter(({ signUpId }) => signUpId === signUp.id));
      const known = await find();
      if (known) return known;
      const customer = await setDefaultCard(stripe, customerId, cardId, signUp.tax_added ? { expand: ["tax"] } : {});
      const isTaxed = signUp.tax_added && canBeTaxed(customer, signUp.id);
      const params: Stripe.SubscriptionCreateParams = {
        ...(isTaxed && { automatic_tax: { enabled: true } }),
        customer: customerId,
        items: [{ price: stripePriceId }],
        metadata: originOf(signUp),
        off_session: true,
        trial_period_days: signUp.trial_days,
        trial_settings: { end_behavior: { missing_payment_method: "cancel" } },
      };
      const make = async (options: Stripe.RequestOptions) =>
        stateOf(await stripe.subscriptions.create(params, options));
      return findOrCreate(signUp, find, make, "subscription");
    },

    findSubscriptionsOf: statesOf,

    retrieveSubscription: retrieve,

    async hasPaid(subscription: string): Promise<boolean> {
      const { data } = await call(() => stripe.invoices.list({ subscription, status: "paid", limit: PAGE }));
      return data.some(({ amount_paid }) => amount_paid > 0);
    },

    /** Cancels immediately without an invoice. Does nothing if it has ended. Returns the subscription afterward. */
    async cancelSubscription(id: string, comment = NOT_ME): Promise<SubscriptionState> {
      const cancel = () => stripe.subscriptions.cancel(id, { cancellation_details: { comment } });
      const canceled = await ifExists(() => call(cancel));
      return canceled ? stateOf(canceled) : retrieve(id);
    },
  };
}

/** A running subscription, or else the latest. @param states the latest first */
export function mainOf(states: SubscriptionState[]): SubscriptionState | undefined {
  return states.find(({ status }) => status !== "canceled") ?? states[0];
}

/** Asked before, because a refusal of the creation would use up its idempotency key. https://docs.stripe.com/tax/customer-locations */
function canBeTaxed({ tax }: Stripe.Customer, signUpId: string): boolean {
  switch (tax?.automatic_tax) {
    case "supported":
    case "not_collecting":
      return true;
    case "unrecognized_location":
      log("error", "tax_location_invalid", { signUpId });
      return false;
    default:
      throw new PaymentsError("unavailable");
  }
}

function stateOf(given: Stripe.Subscription): SubscriptionState {
  const status = subscriptionStatus.safeParse(given.status);
  if (!status.success) throw unexpectedAnswer("status");
  const isCanceled = given.status === "canceled" && given.cancellation_details?.comment !== NOT_ME;
  return {
    stripeSubscriptionId: given.id,
    signUpId: given.metadata?.sign_up_id,
    status: status.data,
    trialEnd: dateOf(given.trial_end),
    isCanceledByCustomer: isCanceled || given.cancel_at_period_end || typeof given.cancel_at === "number",
  };
}
