import type { Fact } from "../fact";
import { confirm, newIntent, refusal } from "./situations";

const TESTING = "https://docs.stripe.com/testing?testing-method=payment-methods";
const LIFECYCLE = "https://docs.stripe.com/payments/paymentintents/lifecycle";

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
    situation: "a new setup intent waits for a card, and has a client secret that contains its ID",
    async calls(world) {
      const { id, status, client_secret, payment_method } = await newIntent(world);
      return { status, hasSecret: client_secret.startsWith(`${id}_secret_`), payment_method: String(payment_method) };
    },
    comes: { status: "requires_payment_method", hasSecret: true, payment_method: "null" },
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
    situation: "a card whose bank asks first waits for its owner, and can still be canceled",
    async calls(world) {
      const { id } = await newIntent(world);
      const { status, next_action } = await confirm(world, id, "pm_card_authenticationRequiredOnSetup");
      return { status, next: next_action?.type, canceled: (await world.stripe.setupIntents.cancel(id)).status };
    },
    comes: { status: "requires_action", next: "redirect_to_url", canceled: "canceled" },
    page: LIFECYCLE,
  },
  {
    situation: "a setup intent that is canceled or succeeded takes no other card, and cannot be canceled",
    async calls(world) {
      const { setupIntents } = world.stripe;
      const afterwards = async (id: string) => ({
        card: (await refusal(confirm(world, id, "pm_card_mastercard"))).code,
        again: (await refusal(setupIntents.cancel(id))).code,
        status: (await setupIntents.retrieve(id)).status,
      });
      const [canceled, succeeded] = [await newIntent(world), await newIntent(world)];
      await setupIntents.cancel(canceled.id, { cancellation_reason: "abandoned" });
      await confirm(world, succeeded.id, "pm_card_visa");
      return { canceled: await afterwards(canceled.id), succeeded: await afterwards(succeeded.id) };
    },
    comes: { canceled: { ...OVER, status: "canceled" }, succeeded: { ...OVER, status: "succeeded" } },
    page: "https://docs.stripe.com/api/setup_intents/cancel",
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
  {
    situation: "a customer's setup intents are listed with their metadata, the newest first",
    async calls(world) {
      const { customer } = await newIntent(world, { used_cards: "0" });
      await newIntent(world, { used_cards: "1" }, customer);
      const { data } = await world.stripe.setupIntents.list({ customer, limit: 100 });
      return { usedCards: data.map(({ metadata }) => metadata?.used_cards) };
    },
    comes: { usedCards: ["1", "0"] },
    page: "https://docs.stripe.com/api/setup_intents/list",
  },
];

/** What the site reads with the publishable key and a client secret. */
export const publicSetupIntents: Fact[] = [
  {
    situation: "with the publishable key and the client secret, the site sees a setup open, canceled and succeeded",
    async calls(world) {
      const [open, canceled, succeeded] = [await newIntent(world), await newIntent(world), await newIntent(world)];
      await world.stripe.setupIntents.cancel(canceled.id);
      await confirm(world, succeeded.id, "pm_card_visa");
      const [one, two, three] = await Promise.all(
        [open, canceled, succeeded].map(({ client_secret }) => world.asSite(client_secret)),
      );
      return { http: one?.http, statuses: [one?.status, two?.status, three?.status] };
    },
    comes: { http: 200, statuses: ["requires_payment_method", "canceled", "succeeded"] },
    page: "https://docs.stripe.com/api/setup_intents/retrieve",
  },
  {
    situation: "with another client secret, without one or with a wrong key, a setup cannot be read, nor can customers",
    async calls(world) {
      const { id } = await newIntent(world);
      const { customers, setupIntents } = world.stripe;
      const options = { apiKey: world.publishableKey };
      const another = await world.asSite(`${id}_secret_anothersecret`);
      return {
        ...{ isUnknown: another.http === 400 || another.http === 404, status: another.status },
        isSetupRefused: (await refusal(setupIntents.retrieve(id, {}, options))).isRefused !== false,
        isListRefused: (await refusal(customers.list({ limit: 1 }, options))).isRefused !== false,
        wrongKey: (await world.asSite(`${id}_secret_anothersecret`, "a_wrong_key")).http,
      };
    },
    comes: { isUnknown: true, status: undefined, isSetupRefused: true, isListRefused: true, wrongKey: 401 },
    page: "https://docs.stripe.com/keys",
  },
];
