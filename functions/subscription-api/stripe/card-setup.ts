import type Stripe from "stripe";
import * as z from "zod";
import { type Attempt, call, findOrCreate, ifExists, originOf, unexpectedAnswer } from "./client";

const PAGE = 100;

export type SetupIntent = {
  id: string;
  clientSecret: string;
  /** While a card is processing, no other card can be entered and the setup intent cannot be canceled. */
  status: "succeeded" | "canceled" | "open" | "processing";
  customerId: string | null;
  signUpId: string | undefined;
  /** How many used cards the sign-up had when this card was asked for. */
  usedCards: number;
  paymentMethodId: string | null;
  /** The same for one card number across all customers. */
  fingerprint: string | null;
};

export type CardAttempt = Attempt & { used_cards: number; package_id: string | null };

export function stripeSetupIntents(stripe: Stripe) {
  const retrieve = async (id: string) =>
    setupIntentOf(await call(() => stripe.setupIntents.retrieve(id, { expand: ["payment_method"] })));

  async function find({ id, used_cards }: CardAttempt, customer: string): Promise<SetupIntent | undefined> {
    const { data } = await call(() => stripe.setupIntents.list({ customer, limit: PAGE }));
    const isWanted = ({ signUpId, usedCards }: SetupIntent) => signUpId === id && usedCards === used_cards;
    return data.map(setupIntentOf).find(isWanted);
  }

  /** Returns the setup intent afterward: canceled, or succeeded or processing if the visitor was faster. */
  async function cancel(id: string): Promise<SetupIntent> {
    const known = await retrieve(id);
    if (known.status !== "open") return known;
    try {
      return setupIntentOf(await call(() => stripe.setupIntents.cancel(id, { cancellation_reason: "abandoned" })));
    } catch (error) {
      const after = await retrieve(id);
      if (after.status === "open") throw error;
      return after;
    }
  }
  async function detach(paymentMethodId: string): Promise<void> {
    const isAttached = async () =>
      (await call(() => stripe.paymentMethods.retrieve(paymentMethodId))).customer !== null;
    if (!(await isAttached())) return;
    try {
      await call(() => stripe.paymentMethods.detach(paymentMethodId));
    } catch (error) {
      if (await isAttached()) throw error;
    }
  }

  return {
    async findSetupIntent(id: string | null): Promise<SetupIntent | undefined> {
      return id === null ? undefined : ifExists(() => retrieve(id));
    },

    findSetupIntentOf: find,

    findOrCreateSetupIntent(signUp: CardAttempt, customerId: string): Promise<SetupIntent> {
      const { used_cards, package_id } = signUp;
      const params: Stripe.SetupIntentCreateParams = {
        customer: customerId,
        usage: "off_session",
        allowed_payment_method_types: ["card"],
        metadata: {
          ...originOf(signUp),
          // Radar's control of free trials: https://docs.stripe.com/radar/free-trial-abuse
          is_free_trial: "true",
          used_cards: String(used_cards),
          ...(package_id !== null && { package_id }),
        },
      };
      const make = async (options: Stripe.RequestOptions) =>
        setupIntentOf(await stripe.setupIntents.create(params, options));
      const object = used_cards === 0 ? "setup-intent" : `setup-intent-${used_cards}`;
      return findOrCreate(signUp, () => find(signUp, customerId), make, object);
    },
    async cancelSetupIntent(id: string): Promise<SetupIntent | undefined> {
      return ifExists(() => cancel(id));
    },

    /** Cancels the setup intent, or detaches its card. While Stripe is processing a card, returns false and does nothing. */
    async releaseCard(id: string | null): Promise<boolean> {
      const intent = id === null ? undefined : await ifExists(() => cancel(id));
      if (intent?.status === "succeeded" && intent.paymentMethodId !== null) await detach(intent.paymentMethodId);
      return intent?.status !== "processing";
    },

    detachCard: detach,

    /** Detaches every payment method, also those added in the portal. Does nothing if the customer no longer exists. */
    async detachCardsOf(customer: string): Promise<void> {
      const list = () => call(() => stripe.paymentMethods.list({ customer, limit: PAGE }));
      for (const { id } of (await ifExists(list))?.data ?? []) await detach(id);
    },
  };
}

/** In all other statuses, a card can be entered: https://docs.stripe.com/payments/paymentintents/lifecycle */
const CLOSED_STATUSES = z.enum(["succeeded", "canceled", "processing"]);

function setupIntentOf(given: Stripe.SetupIntent): SetupIntent {
  const { id, client_secret, customer, metadata, payment_method: method, status } = given;
  if (!client_secret) throw unexpectedAnswer("client_secret");
  return {
    id,
    clientSecret: client_secret,
    status: CLOSED_STATUSES.safeParse(status).data ?? "open",
    customerId: idOf(customer),
    signUpId: metadata?.sign_up_id,
    usedCards: Number(metadata?.used_cards ?? 0),
    paymentMethodId: idOf(method),
    fingerprint: typeof method === "string" ? null : (method?.card?.fingerprint ?? null),
  };
}

function idOf(object: string | { id: string } | null | undefined): string | null {
  return typeof object === "string" ? object : (object?.id ?? null);
}
