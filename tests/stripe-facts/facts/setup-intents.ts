import type { Fact } from "../fact";
import { confirm, newCustomer, newIntent, refusal } from "./situations";

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
const WORKING: [card: string, brand: string][] = [
  ["pm_card_visa", "visa"],
  ["pm_card_mastercard", "mastercard"],
  ["pm_card_amex", "amex"],
  ["pm_card_chargeCustomerFail", "visa"],
];

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
  ...WORKING.map(
    ([card, brand]): Fact => ({
      situation: `the card ${card} is set up: it is the customer's, and the same number has the same fingerprint`,
      async calls(world) {
        const enter = async () => {
          const { id, customer } = await newIntent(world);
          const { status } = await confirm(world, id, card);
          const { payment_method: found } = await world.stripe.setupIntents.retrieve(id, {
            expand: ["payment_method"],
          });
          const method = typeof found === "object" ? found : null;
          return { status, isCustomers: method?.customer === customer, card: method?.card };
        };
        const [one, other] = [await enter(), await enter()];
        const isSame = Boolean(one.card?.fingerprint) && one.card?.fingerprint === other.card?.fingerprint;
        return {
          status: one.status,
          isCustomers: one.isCustomers,
          brand: one.card?.brand,
          hasDigits: /^\d{4}$/.test(one.card?.last4 ?? ""),
          isSame,
        };
      },
      comes: { status: "succeeded", isCustomers: true, brand, hasDigits: true, isSame: true },
      page: TESTING,
    }),
  ),
  {
    situation: "two card numbers have two fingerprints",
    async calls(world) {
      const fingerprintOf = async (card: string) => {
        const { id: customer } = await newCustomer(world);
        return (await world.stripe.paymentMethods.attach(card, { customer })).card?.fingerprint;
      };
      return { isSame: (await fingerprintOf("pm_card_visa")) === (await fingerprintOf("pm_card_mastercard")) };
    },
    comes: { isSame: false },
    page: "https://docs.stripe.com/api/payment_methods/object#payment_method_object-card-fingerprint",
  },
  ...DECLINED.map(
    ([card, code, decline_code]): Fact => ({
      situation: `the card ${card} is declined, and leaves the setup open for another one`,
      async calls(world) {
        const { id } = await newIntent(world);
        const { status, type, ...declined } = await refusal(confirm(world, id, card));
        const after = await world.stripe.setupIntents.retrieve(id);
        return {
          ...{ http: status, type, code: declined.code, decline_code: decline_code && String(declined.decline_code) },
          ...{
            status: after.status,
            error: after.last_setup_error?.code,
            hasMessage: !!after.last_setup_error?.message,
          },
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
    situation: "a canceled setup intent takes no card, and cannot be canceled again",
    async calls(world) {
      const { id } = await newIntent(world);
      const { setupIntents } = world.stripe;
      const { status } = await setupIntents.cancel(id, { cancellation_reason: "abandoned" });
      const card = await refusal(confirm(world, id, "pm_card_visa"));
      const again = await refusal(setupIntents.cancel(id));
      return { status, card: card.code, again: again.code };
    },
    comes: { status: "canceled", card: "setup_intent_unexpected_state", again: "setup_intent_unexpected_state" },
    page: "https://docs.stripe.com/api/setup_intents/cancel",
  },
  {
    situation: "a setup intent that succeeded takes no other card, and cannot be canceled",
    async calls(world) {
      const { id } = await newIntent(world);
      await confirm(world, id, "pm_card_visa");
      const card = await refusal(confirm(world, id, "pm_card_mastercard"));
      const canceled = await refusal(world.stripe.setupIntents.cancel(id));
      const { status } = await world.stripe.setupIntents.retrieve(id);
      return { card: card.code, canceled: canceled.code, status };
    },
    comes: {
      ...{ card: "setup_intent_unexpected_state", canceled: "setup_intent_unexpected_state", status: "succeeded" },
    },
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
  {
    situation: "an unknown setup intent is missing",
    async calls({ stripe }) {
      const { status, type, code } = await refusal(stripe.setupIntents.retrieve("seti_000000000000000000000000"));
      return { status, type, code };
    },
    comes: { status: 404, type: "invalid_request_error", code: "resource_missing" },
    page: "https://docs.stripe.com/error-codes#resource-missing",
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
    situation: "with a client secret of another setup, the site sees none",
    async calls(world) {
      const { client_secret } = await newIntent(world);
      const { http, status } = await world.asSite(`${client_secret.split("_secret_")[0]}_secret_anothersecret`);
      return { isUnknown: http === 400 || http === 404, status };
    },
    comes: { isUnknown: true, status: undefined },
    page: "https://docs.stripe.com/api/setup_intents/retrieve",
  },
  {
    situation: "with the publishable key alone, which everyone can read, neither customers nor a setup can be read",
    async calls(world) {
      const { id } = await newIntent(world);
      const { customers, setupIntents } = world.stripe;
      const options = { apiKey: world.publishableKey };
      const list = await refusal(customers.list({ limit: 1 }, options));
      const setup = await refusal(setupIntents.retrieve(id, {}, options));
      return { isListRefused: list.isRefused !== false, isSetupRefused: setup.isRefused !== false };
    },
    comes: { isListRefused: true, isSetupRefused: true },
    page: "https://docs.stripe.com/keys",
  },
  {
    situation: "with a wrong key, the site is refused",
    async calls(world) {
      const { client_secret } = await newIntent(world);
      return { http: (await world.asSite(client_secret, "a_wrong_key")).http };
    },
    comes: { http: 401 },
    page: "https://docs.stripe.com/api/errors",
  },
];
