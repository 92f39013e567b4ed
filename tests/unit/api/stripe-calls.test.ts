import { expect, test } from "vitest";
import type { SignUp } from "../../../functions/subscription-api/sign-ups/sign-up";
import { stripeClient } from "../../../functions/subscription-api/stripe/client";
import type { Payments } from "../../../functions/subscription-api/stripe/payments";
import { databaseInMemory } from "../../support/api-in-process/database";
import { signUpsInProcess } from "../../support/api-in-process/sign-ups";
import { answer, refusal } from "../../support/api-in-process/stripe-model";

/* What Stripe is sent: method, parameters, idempotency key; and for how long: https://docs.stripe.com/api */

const intent = { id: "seti_1", client_secret: "seti_1_secret_1", status: "requires_payment_method" };
const subscription = { id: "sub_1", status: "trialing", cancel_at_period_end: false };
const metadata = { "metadata[sign_up_id]": "the-sign-up", "metadata[request_id]": "the-request" };
const FORM = {
  email: "ada@example.com",
  name: "Ada Lovelace",
  business_name: "Engines & Sons",
  phone: "2125550123",
  "address[line1]": "12 St James's Square",
  "address[city]": "New York",
  "address[state]": "NY",
  "address[postal_code]": "10001",
};
const card = { customer: "cus_1", usage: "off_session", "allowed_payment_method_types[0]": "card" };
const free = { ...card, ...metadata, "metadata[is_free_trial]": "true" };
const trial = {
  customer: "cus_1",
  "items[0][price]": "price_1",
  ...metadata,
  off_session: "true",
  trial_period_days: "5",
  "trial_settings[end_behavior][missing_payment_method]": "cancel",
};
const choice = { customerId: "cus_1", priceId: "price_1" };
const ours = { sign_up_id: "the-sign-up" };
const list = (...data: object[]) => ({ data, has_more: false });

type Sent = [call: string, params: object, key?: string];
type Call = [what: string, change: Partial<SignUp>, answers: Record<string, object>, Sent[]];

const calls: [...Call, (payments: Payments, signUp: SignUp) => Promise<unknown>][] = [
  [
    "a customer has the form's fields, and the sign-up in its metadata",
    {},
    { "POST customers": { id: "cus_1" } },
    [["POST customers", { ...FORM, "address[country]": "US", ...metadata }, "customer-the-sign-up-0"]],
    (payments, signUp) => payments.findOrCreateCustomer(signUp),
  ],
  [
    "an unknown country has no code",
    { country: "Atlantis" },
    { "POST customers": { id: "cus_1" } },
    [["POST customers", { ...FORM, ...metadata }, "customer-the-sign-up-0"]],
    (payments, signUp) => payments.findOrCreateCustomer(signUp),
  ],
  [
    "after a failed attempt the customer is looked for, and never another sign-up's",
    { stripe_attempt: 1 },
    { "GET customers": list({ id: "cus_2", metadata: { sign_up_id: "another" } }, { id: "cus_1", metadata: ours }) },
    [["GET customers", { email: "ada@example.com", limit: "100" }]],
    (payments, signUp) => payments.findOrCreateCustomer(signUp),
  ],
  [
    "a setup intent is for one card, charged later, with a free trial",
    { package_id: "a-package" },
    { "POST setup_intents": intent },
    [
      [
        "POST setup_intents",
        { ...free, "metadata[used_cards]": "0", "metadata[package_id]": "a-package" },
        "setup-intent-the-sign-up-0",
      ],
    ],
    (payments, signUp) => payments.findOrCreateSetupIntent(signUp, "cus_1"),
  ],
  [
    "after a used card there is a setup intent of its own",
    { package_id: null, used_cards: 2 },
    { "POST setup_intents": intent },
    [["POST setup_intents", { ...free, "metadata[used_cards]": "2" }, "setup-intent-2-the-sign-up-0"]],
    (payments, signUp) => payments.findOrCreateSetupIntent(signUp, "cus_1"),
  ],
  [
    "after a failed attempt the setup intent of the same card is looked for",
    { stripe_attempt: 1, used_cards: 1 },
    {
      "GET setup_intents": list(
        { ...intent, metadata: ours },
        { ...intent, metadata: { sign_up_id: "another", used_cards: "1" } },
        { ...intent, metadata: { ...ours, used_cards: "1" } },
      ),
    },
    [["GET setup_intents", { customer: "cus_1", limit: "100" }]],
    (payments, signUp) => payments.findOrCreateSetupIntent(signUp, "cus_1"),
  ],
  [
    "a card's form that is no longer needed is canceled as abandoned",
    {},
    { "GET setup_intents": intent, "POST setup_intents": { ...intent, status: "canceled" } },
    [
      ["GET setup_intents/seti_1", { "expand[0]": "payment_method" }],
      ["POST setup_intents/seti_1/cancel", { cancellation_reason: "abandoned" }],
    ],
    (payments) => payments.releaseCard("seti_1"),
  ],
  [
    "the default card is set",
    {},
    { "POST customers": { id: "cus_1" } },
    [["POST customers/cus_1", { "invoice_settings[default_payment_method]": "pm_1" }]],
    (payments) => payments.setDefaultCard("cus_1", "pm_1"),
  ],
  [
    "a subscription has the package's price and five trial days, and ends with them without a card",
    {},
    { "GET subscriptions": list(), "POST subscriptions": subscription },
    [
      ["GET subscriptions", { customer: "cus_1", status: "all", limit: "100" }],
      ["POST subscriptions", trial, "subscription-the-sign-up-0"],
    ],
    (payments, signUp) => payments.findOrCreateSubscription(signUp, choice),
  ],
  [
    "a subscription that exists is not made again, whatever its status",
    {},
    { "GET subscriptions": list({ ...subscription, status: "canceled", metadata: ours }) },
    [["GET subscriptions", { customer: "cus_1", status: "all", limit: "100" }]],
    (payments, signUp) => payments.findOrCreateSubscription(signUp, choice),
  ],
  [
    "a subscription is canceled at once, with a mark that its customer did not",
    {},
    { "DELETE subscriptions": { ...subscription, status: "canceled" } },
    [["DELETE subscriptions/sub_1", { "cancellation_details[comment]": "not-me" }]],
    (payments) => payments.cancelSubscription("sub_1"),
  ],
  [
    "paid invoices are asked for",
    {},
    { "GET invoices": list({ amount_paid: 0 }) },
    [["GET invoices", { subscription: "sub_1", status: "paid", limit: "100" }]],
    (payments) => payments.hasPaid("sub_1"),
  ],
];

async function sentBy(answers: Record<string, object>, change: Partial<SignUp>, settings = {}) {
  const { services, instead, sent } = signUpsInProcess({ settings });
  for (const [call, body] of Object.entries(answers)) instead.set(call, answer(200, body));
  const signUp: SignUp = { ...(await databaseInMemory().signUp()), id: "the-sign-up", ...change };
  return { services, instead, sent, signUp };
}

test.each(calls)("%s", async (_, change, answers, expected, make) => {
  const { services, sent, signUp } = await sentBy(answers, change);
  await make(services.payments, signUp);
  const ofOurs = (key: string | null) => (key?.startsWith("stripe-node-retry") ? null : key);
  expect(sent.map(({ call, params, key }) => [call, params, ofOurs(key)])).toEqual(
    expected.map(([call, params, key = null]) => [call, params, key]),
  );
  // A redirect would take personal data to another host.
  expect(sent.every(({ redirect }) => redirect === "manual")).toBe(true);
});

test("a subscription is taxed by Stripe Tax if configured, and untaxed if Stripe does not know the address", async () => {
  const { services, instead, sent, signUp } = await sentBy({}, {}, { AUTOMATIC_TAX: "true" });
  const answers = [refusal(400, "customer_tax_location_invalid"), answer(200, subscription)];
  instead.set("GET subscriptions", answer(200, list()));
  instead.set("POST subscriptions", () => answers.shift());
  await services.payments.findOrCreateSubscription(signUp, choice);
  const tried = sent.filter(({ call }) => call === "POST subscriptions");
  expect(tried.map(({ params, key }) => [params["automatic_tax[enabled]"], key])).toEqual([
    ["true", "subscription-taxed-the-sign-up-0"],
    [undefined, "subscription-the-sign-up-0"],
  ]);
});

test("the customers of an address come from both searches, and only customers with a sign-up count", async () => {
  const { services, instead, sent } = await sentBy({}, {});
  const one = { id: "cus_1", metadata: { sign_up_id: "a" } };
  instead.set("GET customers/search", answer(200, list(one, { id: "cus_2", metadata: { sign_up_id: "b" } })));
  instead.set("GET customers", answer(200, list(one, { id: "cus_3", metadata: {} })));
  expect(await services.payments.findCustomersOf('a"b@example.com')).toEqual([
    { id: "cus_1", signUpId: "a" },
    { id: "cus_2", signUpId: "b" },
  ]);
  expect(sent.map(({ params }) => params.query ?? params.email)).toEqual([
    'a"b@example.com',
    'email:"a\\"b@example.com"',
  ]);
});

test("a call has five seconds and one retry, and its API version is pinned", () => {
  const client = stripeClient({ secretKey: "sk_test_1", webhookSecrets: [] });
  expect([client.getApiField("timeout"), client.getMaxNetworkRetries()]).toEqual([5_000, 1]);
  expect(client.getApiField("version")).toBe("2026-10-28.endive");
});

test("an object of an earlier attempt is found by its sign-up, and a setup intent also by its card", async () => {
  const of = (id: string, sign_up_id: string, used_cards: string) => ({
    ...{ ...intent, id, status: "trialing", metadata: { sign_up_id, used_cards } },
  });
  const made = list(of("a", "another", "1"), of("b", "the-sign-up", "0"), of("c", "the-sign-up", "1"));
  const { services, signUp } = await sentBy({ "": made }, { stripe_attempt: 1, used_cards: 1 });
  const { payments } = services;
  expect(await payments.findOrCreateCustomer(signUp)).toBe("b");
  expect(await payments.findOrCreateSetupIntent(signUp, "cus_1")).toMatchObject({ id: "c" });
  expect(await payments.findOrCreateSubscription(signUp, choice)).toMatchObject({ stripeSubscriptionId: "b" });
});
