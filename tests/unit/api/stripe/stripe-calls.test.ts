import { expect, test, vi } from "vitest";
import { TRIAL_DAYS } from "../../../../app/contract/trial";
import { mainOf } from "../../../../functions/subscription-api/stripe/subscriptions";
import { HOUR } from "../../../support/api-in-process/scheduler";
import { answer } from "../../../support/api-in-process/stripe-objects";
import { NOW, stopClock } from "../../../support/clock";
import { ANYTHING, paymentsOf } from "./payments-of";

stopClock();

const AT_STRIPE = { customerId: "cus_1", stripePriceId: "price_1", cardId: "pm_1" };
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

test("creations have their parameters, and a key of the sign-up, the used cards and the attempt", async () => {
  const { payments, sent, signUp } = await paymentsOf();
  await payments.findOrCreateCustomer(signUp);
  await payments.findOrCreateSetupIntent({ ...signUp, package_id: "a-plan" }, "cus_1");
  await payments.findOrCreateSubscription(signUp, AT_STRIPE);
  const after = { ...signUp, stripe_attempt: 1 };
  // Its country is not on ISO's list.
  await payments.findOrCreateCustomer({ ...after, country: "Atlantis" });
  await payments.findOrCreateSetupIntent({ ...after, used_cards: 2, package_id: null }, "cus_1");
  const ofFirstCard = { ...SETUP_INTENT, "metadata[used_cards]": "0", "metadata[package_id]": "a-plan" };
  const ofThirdCard = { ...SETUP_INTENT, "metadata[used_cards]": "2" };
  const creations = sent.filter(({ call }) => /^POST [a-z_]+$/.test(call));
  expect(creations.map(({ call, key, params }) => ({ call, key, params }))).toEqual([
    { call: "POST customers", key: "customer-1-0", params: { ...CUSTOMER, "address[country]": "US" } },
    { call: "POST setup_intents", key: "setup-intent-1-0", params: ofFirstCard },
    { call: "POST subscriptions", key: "subscription-1-0", params: SUBSCRIPTION },
    { call: "POST customers", key: "customer-1-1", params: CUSTOMER },
    { call: "POST setup_intents", key: "setup-intent-2-1-1", params: ofThirdCard },
  ]);
});

test("the other calls have their parameters, and no key of a creation", async () => {
  const { payments, sent } = await paymentsOf();
  await payments.findSetupIntent("seti_1");
  await payments.cancelSetupIntent("seti_1");
  await payments.startTrialWithoutPlan("cus_1", "pm_1");
  await payments.cancelSubscription("sub_1");
  await payments.hasPaid("sub_1");
  await payments.detachCardsOf("cus_1");
  const read = { call: "GET setup_intents/seti_1", params: { "expand[0]": "payment_method" } };
  const trial = { "invoice_settings[default_payment_method]": "pm_1", "metadata[had_trial]": "true" };
  expect(sent.map(({ call, params }) => ({ call, params }))).toEqual([
    read,
    read,
    { call: "POST setup_intents/seti_1/cancel", params: { cancellation_reason: "abandoned" } },
    { call: "POST customers/cus_1", params: trial },
    { call: "DELETE subscriptions/sub_1", params: { "cancellation_details[comment]": "not-me" } },
    { call: "GET invoices", params: { subscription: "sub_1", status: "paid", limit: "100" } },
    { call: "GET payment_methods", params: { customer: "cus_1", limit: "100" } },
  ]);
  // Stripe's client adds random keys, so that it can repeat a call.
  expect(sent.filter(({ key }) => key !== null && !key.startsWith("stripe-node-retry"))).toEqual([]);
  expect(new Set(sent.map(({ redirect }) => redirect))).toEqual(new Set(["manual"]));
});

test("after a failed attempt the sign-up's customer, setup intent and subscription are found", async () => {
  const made = (id: string, sign_up_id: string, used_cards: string) => {
    return { ...ANYTHING, id, metadata: { sign_up_id, used_cards } };
  };
  const data = [made("of another", "another", "1"), made("first", "1", "0"), made("second", "1", "1")];
  const { payments, sent, signUp: created } = await paymentsOf({ ...ANYTHING, data });
  const signUp = { ...created, stripe_attempt: 1, used_cards: 1 };
  expect(await payments.findOrCreateCustomer(signUp)).toBe("first");
  expect(await payments.findOrCreateSetupIntent(signUp, "cus_1")).toMatchObject({ id: "second" });
  const subscription = await payments.findOrCreateSubscription(signUp, AT_STRIPE);
  expect(subscription).toMatchObject({ stripeSubscriptionId: "first" });
  expect(sent).toMatchObject([
    { call: "GET customers", params: { email: "ada@example.com", limit: "100" } },
    { call: "GET setup_intents", params: { customer: "cus_1", limit: "100" } },
    { call: "GET subscriptions", params: { customer: "cus_1", status: "all", limit: "100" } },
  ]);
});

test("Stripe forgets a key after a day, so 23 hours after the form a customer is looked for first", async () => {
  const { payments, sent, signUp } = await paymentsOf();
  vi.setSystemTime(NOW + 23 * HOUR);
  await payments.findOrCreateCustomer(signUp);
  vi.setSystemTime(NOW + 23 * HOUR + 1);
  await payments.findOrCreateCustomer(signUp);
  expect(sent.map(({ call }) => call)).toEqual(["POST customers", "GET customers", "POST customers"]);
});

const ASKED = [{ call: "GET subscriptions" }, { call: "POST customers/cus_1", params: { "expand[0]": "tax" } }];
const CREATED = { call: "POST subscriptions", key: "subscription-1-0" };
const TAX = { "automatic_tax[enabled]": "true" };

test.each([
  { place: "supported", created: [{ ...CREATED, params: TAX }] },
  { place: "not_collecting", created: [{ ...CREATED, params: TAX }] },
  { place: "unrecognized_location", created: [{ ...CREATED, params: expect.not.objectContaining(TAX) }] },
  { place: "failed", created: [] },
])("a subscription with tax is created after its customer's place is asked for: $place", async ({ place, created }) => {
  const { payments, sent, signUp } = await paymentsOf({ ...ANYTHING, tax: { automatic_tax: place } });
  const made = payments.findOrCreateSubscription({ ...signUp, tax_added: true }, AT_STRIPE);
  await (created.length > 0 ? made : expect(made).rejects.toMatchObject({ reason: "unavailable" }));
  expect(sent).toMatchObject([...ASKED, ...created]);
});

test("an email address's customers with a sign-up come from Stripe's list and search, each once", async () => {
  const { payments, answersNext, sent } = await paymentsOf();
  const of = (id: string, sign_up_id?: string) => ({ id, metadata: sign_up_id === undefined ? {} : { sign_up_id } });
  answersNext("GET customers", answer(200, { data: [of("cus_1", "a"), of("cus_3")] }));
  answersNext("GET customers/search", answer(200, { data: [of("cus_1", "a"), of("cus_2", "b"), of("cus_3")] }));
  expect(await payments.findCustomersOf('a"b@example.com')).toEqual([
    { id: "cus_1", signUpId: "a" },
    { id: "cus_2", signUpId: "b" },
  ]);
  expect(sent).toMatchObject([
    { call: "GET customers", params: { email: 'a"b@example.com', limit: "100" } },
    { call: "GET customers/search", params: { query: 'email:"a\\"b@example.com"', limit: "100" } },
  ]);
});

test.each([
  { statuses: ["canceled", "canceled"], found: "sub_1" },
  { statuses: ["past_due", "canceled", "active"], found: "sub_1" },
  { statuses: ["canceled", "canceled", "trialing"], found: "sub_3" },
])("of a customer's subscriptions, the newest first $statuses, $found counts", async ({ statuses, found }) => {
  const { payments, answersNext } = await paymentsOf();
  const data = statuses.map((status, at) => ({ ...ANYTHING, id: `sub_${at + 1}`, status }));
  answersNext("GET subscriptions", answer(200, { data }));
  expect(mainOf(await payments.findSubscriptionsOf("cus_1"))?.stripeSubscriptionId).toBe(found);
});
