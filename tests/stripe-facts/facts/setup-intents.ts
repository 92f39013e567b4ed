import type { Fact } from "../fact";
import { confirm, newIntent, refusal } from "./situations";

const TESTING = "https://docs.stripe.com/testing?testing-method=payment-methods";

/** Test cards that are declined when they are entered. */
const DECLINED: [card: string, code: string, decline_code?: string][] = [
  ["pm_card_visa_chargeDeclined", "card_declined", "generic_decline"],
  ["pm_card_visa_chargeDeclinedInsufficientFunds", "card_declined", "insufficient_funds"],
  ["pm_card_visa_chargeDeclinedLostCard", "card_declined", "lost_card"],
  ["pm_card_visa_chargeDeclinedStolenCard", "card_declined", "stolen_card"],
  ["pm_card_visa_chargeDeclinedVelocityLimitExceeded", "card_declined", "card_velocity_exceeded"],
  ["pm_card_chargeDeclinedExpiredCard", "expired_card"],
  ["pm_card_chargeDeclinedIncorrectCvc", "incorrect_cvc"],
  ["pm_card_chargeDeclinedProcessingError", "processing_error"],
];

/** Test cards that are set up, with their brands. */
const WORKING: Record<string, string> = {
  pm_card_visa: "visa",
  pm_card_mastercard: "mastercard",
  pm_card_amex: "amex",
  pm_card_chargeCustomerFail: "visa",
};

const OVER = { card: "setup_intent_unexpected_state", again: "setup_intent_unexpected_state" };

export const setupIntents: Fact[] = [
  {
    situation: "a new setup intent waits for a card, has a client secret with its ID, and is listed, the newest first",
    async calls(world) {
      const { id, customer, status, client_secret, payment_method } = await newIntent(world, { used_cards: "0" });
      await newIntent(world, { used_cards: "1" }, customer);
      const { data } = await world.stripe.setupIntents.list({ customer, limit: 100 });
      return {
        ...{ status, hasSecret: client_secret.startsWith(`${id}_secret_`), payment_method: String(payment_method) },
        usedCards: data.map(({ metadata }) => metadata?.used_cards),
      };
    },
    comes: { status: "requires_payment_method", hasSecret: true, payment_method: "null", usedCards: ["1", "0"] },
    page: "https://docs.stripe.com/api/setup_intents/object",
  },
  {
    situation:
      "each working card is set up and the customer's; each number has a fingerprint of its own, always the same",
    async calls(world) {
      const enter = async (card: string) => {
        const { id, customer } = await newIntent(world);
        const { status } = await confirm(world, id, card);
        const { payment_method } = await world.stripe.setupIntents.retrieve(id, { expand: ["payment_method"] });
        const { card: entered, customer: owner } = Object(payment_method);
        return { ...entered, status, isOwned: owner === customer, hasDigits: /^\d{4}$/.test(entered?.last4) };
      };
      const cards = Object.keys(WORKING);
      const entered = await Promise.all([...cards, ...cards].map(enter));
      return {
        statuses: [...new Set(entered.map(({ status }) => status))],
        brands: entered.slice(0, cards.length).map(({ brand }) => brand),
        areOwned: entered.every(({ isOwned, hasDigits }) => isOwned && hasDigits),
        fingerprints: new Set(entered.map(({ fingerprint }) => fingerprint)).size,
      };
    },
    comes: { statuses: ["succeeded"], brands: Object.values(WORKING), areOwned: true, fingerprints: 4 },
    page: TESTING,
  },
  ...DECLINED.map(
    ([card, code, decline_code]): Fact => ({
      situation: `the card ${card} is declined, and leaves the setup open for another one`,
      async calls(world) {
        const { id } = await newIntent(world);
        const { status, type, ...declined } = await refusal(confirm(world, id, card));
        const after = await world.stripe.setupIntents.retrieve(id);
        const { status: left, last_setup_error: error } = after;
        return {
          ...{ http: status, type, code: declined.code, decline_code: decline_code && String(declined.decline_code) },
          ...{ status: left, error: error?.code, hasMessage: !!error?.message },
          next: (await confirm(world, id, "pm_card_visa")).status,
        };
      },
      comes: {
        ...{ http: 402, type: "card_error", code, decline_code },
        ...{ status: "requires_payment_method", error: code, hasMessage: true, next: "succeeded" },
      },
      page: TESTING,
    }),
  ),
  {
    situation:
      "a card whose bank asks first waits for its owner; a setup that is canceled then, or succeeded, takes no other card and cannot be canceled",
    async calls(world) {
      const { setupIntents } = world.stripe;
      const afterwards = async (id: string) => ({
        card: (await refusal(confirm(world, id, "pm_card_mastercard"))).code,
        again: (await refusal(setupIntents.cancel(id))).code,
        status: (await setupIntents.retrieve(id)).status,
      });
      const [canceled, succeeded] = [await newIntent(world), await newIntent(world)];
      const asked = await confirm(world, canceled.id, "pm_card_authenticationRequiredOnSetup");
      await setupIntents.cancel(canceled.id, { cancellation_reason: "abandoned" });
      await confirm(world, succeeded.id, "pm_card_visa");
      return {
        asked: { status: asked.status, next: asked.next_action?.type },
        canceled: await afterwards(canceled.id),
        succeeded: await afterwards(succeeded.id),
      };
    },
    comes: {
      asked: { status: "requires_action", next: "redirect_to_url" },
      canceled: { ...OVER, status: "canceled" },
      succeeded: { ...OVER, status: "succeeded" },
    },
    page: "https://docs.stripe.com/payments/paymentintents/lifecycle",
  },
  {
    situation: "the setup intent of a deleted customer never gets a card, and can be canceled or is gone",
    async calls(world) {
      const { id, customer } = await newIntent(world);
      await world.stripe.customers.del(customer);
      const card = await refusal(confirm(world, id, "pm_card_visa"));
      const canceled = await refusal(world.stripe.setupIntents.cancel(id));
      const isOver = canceled.isRefused === false || canceled.code === "resource_missing";
      return { isCardRefused: card.isRefused !== false, isOver };
    },
    comes: { isCardRefused: true, isOver: true },
    page: "https://docs.stripe.com/api/customers/delete",
  },
];

/** What the site reads with the publishable key and a client secret. */
export const publicSetupIntents: Fact[] = [
  {
    situation:
      "with the publishable key, the site sees a setup open, canceled and succeeded by its client secret, but nothing without it or with another key",
    async calls(world) {
      const [open, canceled, succeeded] = [await newIntent(world), await newIntent(world), await newIntent(world)];
      const { customers, setupIntents } = world.stripe;
      await setupIntents.cancel(canceled.id);
      await confirm(world, succeeded.id, "pm_card_visa");
      const options = { apiKey: world.publishableKey };
      const wrongSecret = `${open.id}_secret_anothersecret`;
      const another = await world.asSite(wrongSecret);
      return {
        open: await world.asSite(open.client_secret),
        canceled: await world.asSite(canceled.client_secret),
        succeeded: await world.asSite(succeeded.client_secret),
        ...{ isUnknown: another.http === 400 || another.http === 404, status: another.status },
        isSetupRefused: (await refusal(setupIntents.retrieve(open.id, {}, options))).isRefused !== false,
        isListRefused: (await refusal(customers.list({ limit: 1 }, options))).isRefused !== false,
        wrongKey: (await world.asSite(wrongSecret, "a_wrong_key")).http,
      };
    },
    comes: {
      open: { http: 200, status: "requires_payment_method" },
      canceled: { http: 200, status: "canceled" },
      succeeded: { http: 200, status: "succeeded" },
      ...{ isUnknown: true, status: undefined, isSetupRefused: true, isListRefused: true, wrongKey: 401 },
    },
    page: "https://docs.stripe.com/api/setup_intents/retrieve",
  },
];
