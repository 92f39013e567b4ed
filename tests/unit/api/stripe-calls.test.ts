import { expect, test, vi } from "vitest";
import type { SignUp } from "../../../functions/subscription-api/sign-ups/sign-up";
import { stripeClient } from "../../../functions/subscription-api/stripe/client";
import type { Payments } from "../../../functions/subscription-api/stripe/payments";
import { stopClock } from "../../support/api-in-process/clock";
import { signUpsInProcess } from "../../support/api-in-process/sign-ups";
import { answer, refusal } from "../../support/api-in-process/stripe-model";

/* What Stripe is sent: method, parameters, idempotency key; and for how long: https://docs.stripe.com/api */

const NOW = Date.parse("2026-11-22T12:00:00.000Z");
stopClock(NOW);

/** An object of any kind, and an empty list. */
const ANYTHING = { id: "made", client_secret: "a_secret", status: "trialing", cancel_at_period_end: false, data: [] };
const metadata = { "metadata[sign_up_id]": "the-sign-up", "metadata[request_id]": "the-request" };
const FORM = {
  ...{ email: "ada@example.com", name: "Ada Lovelace", business_name: "Engines & Sons", phone: "2125550123" },
  ...{ "address[line1]": "12 St James's Square", "address[city]": "New York", "address[state]": "NY" },
  ...{ "address[postal_code]": "10001", ...metadata },
};
const card = { customer: "cus_1", usage: "off_session", "allowed_payment_method_types[0]": "card" };
const free = { ...card, ...metadata, "metadata[is_free_trial]": "true" };
const trial = {
  ...{ customer: "cus_1", "items[0][price]": "price_1", off_session: "true", trial_period_days: "5", ...metadata },
  "trial_settings[end_behavior][missing_payment_method]": "cancel",
};
const choice = { customerId: "cus_1", priceId: "price_1" };

const makeCustomer: Make = (payments, signUp) => payments.findOrCreateCustomer(signUp);
const makeIntent: Make = (payments, signUp) => payments.findOrCreateSetupIntent(signUp, "cus_1");
const subscribe: Make = (payments, signUp) => payments.findOrCreateSubscription(signUp, choice);

type Make = (payments: Payments, signUp: SignUp) => Promise<unknown>;
type Sent = [call: string, params: object, key?: string];

async function stripeAnd(change: Partial<SignUp> = {}, settings = {}, said: object = ANYTHING) {
  const { services, instead, sent, signUp } = signUpsInProcess({ settings });
  instead.set("", answer(200, said));
  return { ...services, instead, sent, signUp: { ...(await signUp()), id: "the-sign-up", ...change } };
}

test.each<[what: string, by: [Make, change?: Partial<SignUp>], ...Sent[]]>([
  [
    "a customer has the form's fields, and the sign-up in its metadata",
    [makeCustomer],
    ["POST customers", { ...FORM, "address[country]": "US" }, "customer-the-sign-up-0"],
  ],
  [
    "an unknown country has no code",
    [makeCustomer, { country: "Atlantis" }],
    ["POST customers", FORM, "customer-the-sign-up-0"],
  ],
  [
    "after a failed attempt the customer is looked for, and made under another key",
    [makeCustomer, { stripe_attempt: 1, country: "Atlantis" }],
    ["GET customers", { email: "ada@example.com", limit: "100" }],
    ["POST customers", FORM, "customer-the-sign-up-1"],
  ],
  [
    "a setup intent is for one card, charged later, with a free trial",
    [makeIntent, { package_id: "a-package" }],
    [
      "POST setup_intents",
      { ...free, "metadata[used_cards]": "0", "metadata[package_id]": "a-package" },
      "setup-intent-the-sign-up-0",
    ],
  ],
  [
    "after a used card and a failed attempt there is a setup intent of its own",
    [makeIntent, { package_id: null, used_cards: 2, stripe_attempt: 1 }],
    ["GET setup_intents", { customer: "cus_1", limit: "100" }],
    ["POST setup_intents", { ...free, "metadata[used_cards]": "2" }, "setup-intent-2-the-sign-up-1"],
  ],
  [
    "a card's form that is no longer needed is canceled as abandoned",
    [(payments) => payments.releaseCard("seti_1")],
    ["GET setup_intents/seti_1", { "expand[0]": "payment_method" }],
    ["POST setup_intents/seti_1/cancel", { cancellation_reason: "abandoned" }],
  ],
  [
    "the default card is set",
    [(payments) => payments.setDefaultCard("cus_1", "pm_1")],
    ["POST customers/cus_1", { "invoice_settings[default_payment_method]": "pm_1" }],
  ],
  [
    "a subscription has the package's price and five trial days, and ends with them without a card",
    [subscribe],
    ["GET subscriptions", { customer: "cus_1", status: "all", limit: "100" }],
    ["POST subscriptions", trial, "subscription-the-sign-up-0"],
  ],
  [
    "a subscription is canceled at once, with a mark that its customer did not",
    [(payments) => payments.cancelSubscription("sub_1")],
    ["DELETE subscriptions/sub_1", { "cancellation_details[comment]": "not-me" }],
  ],
  [
    "paid invoices are asked for",
    [(payments) => payments.hasPaid("sub_1")],
    ["GET invoices", { subscription: "sub_1", status: "paid", limit: "100" }],
  ],
])("%s", async (_, [make, change], ...expected) => {
  const { payments, sent, signUp } = await stripeAnd(change);
  await make(payments, signUp);
  const ofOurs = (key: string | null) => (key?.startsWith("stripe-node-retry") ? null : key);
  expect(sent.map(({ call, params, key }) => [call, params, ofOurs(key)])).toEqual(
    expected.map(([call, params, key = null]) => [call, params, key]),
  );
  // A redirect would take personal data to another host.
  expect(sent.every(({ redirect }) => redirect === "manual")).toBe(true);
});

test("an object of an earlier attempt is found by its sign-up, and a setup intent also by its card", async () => {
  const of = (id: string, sign_up_id: string, used_cards: string) => {
    return { ...ANYTHING, id, metadata: { sign_up_id, used_cards } };
  };
  const data = [of("a", "another", "1"), of("b", "the-sign-up", "0"), of("c", "the-sign-up", "1")];
  const { payments, signUp } = await stripeAnd({ stripe_attempt: 1, used_cards: 1 }, {}, { data });
  expect(await makeCustomer(payments, signUp)).toBe("b");
  expect(await makeIntent(payments, signUp)).toMatchObject({ id: "c" });
  expect(await subscribe(payments, signUp)).toMatchObject({ stripeSubscriptionId: "b" });
});

test.each([
  [23 * 60 * 60_000, ["POST customers"]],
  [23 * 60 * 60_000 + 1, ["GET customers", "POST customers"]],
])("after %i ms Stripe may have forgotten a key: whatever was made under it is looked for", async (age, expected) => {
  const { payments, sent, signUp } = await stripeAnd();
  vi.setSystemTime(NOW + age);
  await makeCustomer(payments, signUp);
  expect(sent.map(({ call }) => call)).toEqual(expected);
});

test("a subscription is taxed by Stripe Tax if configured, and untaxed if Stripe does not know the address", async () => {
  const { payments, instead, sent, signUp } = await stripeAnd({}, { AUTOMATIC_TAX: "true" });
  const answers = [refusal(400, "customer_tax_location_invalid"), answer(200, ANYTHING)];
  instead.clear();
  instead.set("POST subscriptions", () => answers.shift());
  await subscribe(payments, signUp);
  const tried = sent.filter(({ call }) => call === "POST subscriptions");
  expect(tried.map(({ params, key }) => [params["automatic_tax[enabled]"], key])).toEqual([
    ["true", "subscription-taxed-the-sign-up-0"],
    [undefined, "subscription-the-sign-up-0"],
  ]);
});

test("the customers of an address come from both searches, and only customers with a sign-up count", async () => {
  const { payments, instead, sent } = await stripeAnd();
  const one = { id: "cus_1", metadata: { sign_up_id: "a" } };
  instead.clear();
  instead.set("GET customers/search", answer(200, { data: [one, { id: "cus_2", metadata: { sign_up_id: "b" } }] }));
  instead.set("GET customers", answer(200, { data: [one, { id: "cus_3", metadata: {} }] }));
  expect(await payments.findCustomersOf('a"b@example.com')).toEqual([
    { id: "cus_1", signUpId: "a" },
    { id: "cus_2", signUpId: "b" },
  ]);
  const asked = sent.map(({ params }) => params.query ?? params.email);
  expect(asked).toEqual(['a"b@example.com', 'email:"a\\"b@example.com"']);
});

test("a call has five seconds and one retry, and its API version is pinned", () => {
  const client = stripeClient({ secretKey: "sk_test_1", webhookSecrets: [] });
  expect([client.getApiField("timeout"), client.getMaxNetworkRetries()]).toEqual([5_000, 1]);
  expect(client.getApiField("version")).toBe("2026-10-28.endive");
});
