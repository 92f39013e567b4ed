import { describe, expect, test } from "vitest";
import { TRIAL_DAYS } from "../../../../app/contract/trial";
import type { SignUp } from "../../../../functions/subscription-api/sign-up";
import type { Payments } from "../../../../functions/subscription-api/stripe/payments";
import { answer, refusal } from "../../../support/api-in-process/stripe-objects";
import { stopClock } from "../../../support/clock";
import { ANYTHING, AT_STRIPE, paymentsOf } from "./payments-of";

/* The API's calls to Stripe: parameters and idempotency keys. */

stopClock();

const METADATA = { "metadata[sign_up_id]": "1", "metadata[request_id]": "the-request" };
const CUSTOMER = {
  email: "ada@example.com",
  name: "Ada Lovelace",
  business_name: "Engines & Sons",
  phone: "2125550123",
  "address[line1]": "1 Example Street",
  "address[city]": "Springfield",
  "address[state]": "IL",
  "address[postal_code]": "62701",
  "metadata[subscription_api]": "http://localhost:8788",
  ...METADATA,
};
const SETUP_INTENT = {
  customer: "cus_1",
  usage: "off_session",
  "allowed_payment_method_types[0]": "card",
  "metadata[is_free_trial]": "true",
  ...METADATA,
};
const SUBSCRIPTION = {
  customer: "cus_1",
  "items[0][price]": "price_1",
  off_session: "true",
  trial_period_days: `${TRIAL_DAYS}`,
  "trial_settings[end_behavior][missing_payment_method]": "cancel",
  ...METADATA,
};

type Call = {
  what: string;
  signUp?: Partial<SignUp>;
  work: (payments: Payments, signUp: SignUp) => Promise<unknown>;
  call: string;
  /** The idempotency key, for creations. */
  key?: string;
  params: Record<string, string>;
};

const CREATIONS: (Call & { key: string })[] = [
  {
    what: "a customer",
    work: (payments, signUp) => payments.findOrCreateCustomer(signUp),
    call: "POST customers",
    key: "customer-1-0",
    params: { ...CUSTOMER, "address[country]": "US" },
  },
  {
    what: "a customer from a country that is not on ISO's list",
    signUp: { country: "Atlantis" },
    work: (payments, signUp) => payments.findOrCreateCustomer(signUp),
    call: "POST customers",
    key: "customer-1-0",
    params: CUSTOMER,
  },
  {
    what: "a customer after a failed attempt, without a country",
    signUp: { stripe_attempt: 1, country: "" },
    work: (payments, signUp) => payments.findOrCreateCustomer(signUp),
    call: "POST customers",
    key: "customer-1-1",
    params: CUSTOMER,
  },
  {
    what: "a setup intent",
    signUp: { package_id: "a-plan" },
    work: (payments, signUp) => payments.findOrCreateSetupIntent(signUp, "cus_1"),
    call: "POST setup_intents",
    key: "setup-intent-1-0",
    params: { ...SETUP_INTENT, "metadata[used_cards]": "0", "metadata[package_id]": "a-plan" },
  },
  {
    what: "a setup intent after two used cards and a failed attempt, without a plan",
    signUp: { stripe_attempt: 1, used_cards: 2, package_id: null },
    work: (payments, signUp) => payments.findOrCreateSetupIntent(signUp, "cus_1"),
    call: "POST setup_intents",
    key: "setup-intent-2-1-1",
    params: { ...SETUP_INTENT, "metadata[used_cards]": "2" },
  },
  {
    what: "a subscription",
    work: (payments, signUp) => payments.findOrCreateSubscription(signUp, AT_STRIPE),
    call: "POST subscriptions",
    key: "subscription-1-0",
    params: SUBSCRIPTION,
  },
];

const OTHER_CALLS: Call[] = [
  {
    what: "a card is no longer wanted",
    work: (payments) => payments.releaseCard("seti_1"),
    call: "POST setup_intents/seti_1/cancel",
    params: { cancellation_reason: "abandoned" },
  },
  {
    what: "a card becomes the default",
    work: (payments) => payments.setDefaultCard("cus_1", "pm_1"),
    call: "POST customers/cus_1",
    params: { "invoice_settings[default_payment_method]": "pm_1" },
  },
  {
    what: "a subscription ends",
    work: (payments) => payments.cancelSubscription("sub_1"),
    call: "DELETE subscriptions/sub_1",
    params: { "cancellation_details[comment]": "not-me" },
  },
  {
    what: "paid invoices are looked for",
    work: (payments) => payments.hasPaid("sub_1"),
    call: "GET invoices",
    params: { subscription: "sub_1", status: "paid", limit: "100" },
  },
];

test.each(CREATIONS)("$what is created with its parameters and a key of its own", async (given) => {
  const { payments, sent, signUp } = await paymentsOf({ signUp: given.signUp });
  await given.work(payments, signUp);
  expect(sent.at(-1)).toMatchObject({ call: given.call, key: given.key });
  expect(sent.at(-1)?.params).toEqual(given.params);
});

test.each(OTHER_CALLS)("Stripe is sent the parameters when $what", async ({ work, call, params }) => {
  const { payments, sent, signUp } = await paymentsOf();
  await work(payments, signUp);
  expect(sent.at(-1)).toMatchObject({ call });
  expect(sent.at(-1)?.params).toEqual(params);
});

test.each(OTHER_CALLS)("no key of a creation is sent when $what", async ({ work }) => {
  const { payments, sent, signUp } = await paymentsOf();
  await work(payments, signUp);
  // Stripe's client adds random keys, so that it can repeat a call.
  const ours = sent.filter(({ key }) => key !== null && !key.startsWith("stripe-node-retry"));
  expect(ours).toEqual([]);
});

// A redirect would take personal data to another host.
test.each([...CREATIONS, ...OTHER_CALLS])("no redirect is followed: $what", async (given) => {
  const { payments, sent, signUp } = await paymentsOf({ signUp: given.signUp });
  await given.work(payments, signUp);
  expect(new Set(sent.map(({ redirect }) => redirect))).toEqual(new Set(["manual"]));
});

describe("after a failed attempt", () => {
  const FAILED = { stripe_attempt: 1, used_cards: 1 };
  const made = (id: string, metadata: { sign_up_id: string; used_cards: string }) => ({ ...ANYTHING, id, metadata });
  const everyAnswer = {
    ...ANYTHING,
    data: [
      made("of another sign-up", { sign_up_id: "another", used_cards: "1" }),
      made("for the first card", { sign_up_id: "1", used_cards: "0" }),
      made("for the second card", { sign_up_id: "1", used_cards: "1" }),
    ],
  };

  test("the sign-up's customer is found by its email address", async () => {
    const { payments, sent, signUp } = await paymentsOf({ signUp: FAILED, everyAnswer });
    expect(await payments.findOrCreateCustomer(signUp)).toBe("for the first card");
    expect(sent).toEqual([
      expect.objectContaining({ call: "GET customers", params: { email: "ada@example.com", limit: "100" } }),
    ]);
  });

  test("the setup intent for the card that the sign-up needs is found", async () => {
    const { payments, sent, signUp } = await paymentsOf({ signUp: FAILED, everyAnswer });
    expect(await payments.findOrCreateSetupIntent(signUp, "cus_1")).toMatchObject({ id: "for the second card" });
    expect(sent).toEqual([
      expect.objectContaining({ call: "GET setup_intents", params: { customer: "cus_1", limit: "100" } }),
    ]);
  });

  test("the sign-up's subscription is found, even if it is canceled", async () => {
    const { payments, sent, signUp } = await paymentsOf({ signUp: FAILED, everyAnswer });
    expect(await payments.findOrCreateSubscription(signUp, AT_STRIPE)).toMatchObject({
      stripeSubscriptionId: "for the first card",
    });
    expect(sent).toEqual([
      expect.objectContaining({
        call: "GET subscriptions",
        params: { customer: "cus_1", status: "all", limit: "100" },
      }),
    ]);
  });
});

describe("with Stripe Tax a subscription", () => {
  const settings = { AUTOMATIC_TAX: "true" };
  const creationsIn = (sent: Awaited<ReturnType<typeof paymentsOf>>["sent"]) =>
    sent
      .filter(({ call }) => call === "POST subscriptions")
      .map(({ key, params }) => ({ key, automaticTax: params["automatic_tax[enabled]"] }));
  const TAXED = { key: "subscription-taxed-1-0", automaticTax: "true" };
  const UNTAXED = { key: "subscription-1-0", automaticTax: undefined };

  test("is taxed automatically", async () => {
    const { payments, sent, signUp } = await paymentsOf({ settings });
    await payments.findOrCreateSubscription(signUp, AT_STRIPE);
    expect(creationsIn(sent)).toEqual([TAXED]);
  });

  test("is created untaxed, with another key, if Stripe cannot find the customer's address", async () => {
    const { payments, answersNext, sent, signUp } = await paymentsOf({ settings });
    answersNext("POST subscriptions", refusal(400, "customer_tax_location_invalid"), answer(200, ANYTHING));
    await payments.findOrCreateSubscription(signUp, AT_STRIPE);
    expect(creationsIn(sent)).toEqual([TAXED, UNTAXED]);
  });

  test("is looked for before it is created", async () => {
    const { payments, sent, signUp } = await paymentsOf({ settings });
    await payments.findOrCreateSubscription(signUp, AT_STRIPE);
    expect(sent.map(({ call }) => call)).toEqual(["GET subscriptions", "POST customers/cus_1", "POST subscriptions"]);
  });
});
