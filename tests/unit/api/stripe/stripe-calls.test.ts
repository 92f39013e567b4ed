import { expect, test, vi } from "vitest";
import type { SignUp } from "../../../../functions/subscription-api/sign-ups/sign-up";
import type { Payments } from "../../../../functions/subscription-api/stripe/payments";
import { answer, refusal } from "../../../support/api-in-process/stripe-objects";
import { NOW, stopClock } from "../../../support/clock";
import { signUpsInProcess } from "../sign-ups/sign-ups";

stopClock();

/** An object of any kind, and an empty list. */
const ANYTHING = { id: "made", client_secret: "a_secret", status: "trialing", cancel_at_period_end: false, data: [] };
const metadata = { "metadata[sign_up_id]": "1", "metadata[request_id]": "the-request" };
const FORM = {
  ...{ email: "ada@example.com", name: "Ada Lovelace", business_name: "Engines & Sons", phone: "2125550123" },
  ...{ "address[line1]": "1 Example Street", "address[city]": "Springfield", "address[state]": "IL" },
  ...{ "address[postal_code]": "62701", ...metadata },
};
const card = { customer: "cus_1", usage: "off_session", "allowed_payment_method_types[0]": "card" };
const free = { ...card, ...metadata, "metadata[is_free_trial]": "true" };
const trial = {
  ...{ customer: "cus_1", "items[0][price]": "price_1", off_session: "true", trial_period_days: "5", ...metadata },
  "trial_settings[end_behavior][missing_payment_method]": "cancel",
};
const FAILED = { stripe_attempt: 1 };
const USED = { ...FAILED, used_cards: 2, package_id: null };
const INTENT = { ...free, "metadata[used_cards]": "0", "metadata[package_id]": "a-plan" };
const AGAIN = { ...free, "metadata[used_cards]": "2" };

type Make = (payments: Payments, signUp: SignUp) => Promise<unknown>;
const makeCustomer: Make = (payments, signUp) => payments.findOrCreateCustomer(signUp);
const makeIntent: Make = (payments, signUp) => payments.findOrCreateSetupIntent(signUp, "cus_1");
const subscribe: Make = (payments, signUp) =>
  payments.findOrCreateSubscription(signUp, { customerId: "cus_1", priceId: "price_1", cardId: "pm_1" });
const release: Make = (payments) => payments.releaseCard("seti_1");
const setCard: Make = (payments) => payments.setDefaultCard("cus_1", "pm_1");
const cancel: Make = (payments) => payments.cancelSubscription("sub_1");
const askForPaid: Make = (payments) => payments.hasPaid("sub_1");

async function stripeAnd(change: Partial<SignUp> = {}, settings = {}, said: object = ANYTHING) {
  const { services, instead, sent, signUp } = signUpsInProcess({ settings });
  instead.set("", answer(200, said));
  return { ...services, instead, sent, signUp: { ...(await signUp()), id: "1", ...change } };
}

test.each<[what: string, work: Make, signUp: Partial<SignUp>, call: string, key: string | null, params: object]>([
  ["a customer", makeCustomer, {}, "POST customers", "customer-1-0", { ...FORM, "address[country]": "US" }],
  ["a customer from nowhere", makeCustomer, { country: "Atlantis" }, "POST customers", "customer-1-0", FORM],
  ["a second attempt", makeCustomer, { ...FAILED, country: "" }, "POST customers", "customer-1-1", FORM],
  ["a setup intent", makeIntent, { package_id: "a-plan" }, "POST setup_intents", "setup-intent-1-0", INTENT],
  ["another card", makeIntent, USED, "POST setup_intents", "setup-intent-2-1-1", AGAIN],
  ["no card any more", release, {}, "POST setup_intents/seti_1/cancel", null, { cancellation_reason: "abandoned" }],
  ["a default card", setCard, {}, "POST customers/cus_1", null, { "invoice_settings[default_payment_method]": "pm_1" }],
  ["a subscription", subscribe, {}, "POST subscriptions", "subscription-1-0", trial],
  ["its end", cancel, {}, "DELETE subscriptions/sub_1", null, { "cancellation_details[comment]": "not-me" }],
  ["paid invoices", askForPaid, {}, "GET invoices", null, { subscription: "sub_1", status: "paid", limit: "100" }],
])("for %s Stripe is sent its parameters, and a creation's key", async (_, work, change, call, key, params) => {
  const { payments, sent, signUp } = await stripeAnd(change);
  await work(payments, signUp);
  const last = sent.at(-1);
  const ofOurs = last?.key?.startsWith("stripe-node-retry") ? null : last?.key;
  expect([last?.call, ofOurs, last?.params]).toEqual([call, key, params]);
  // A redirect would take personal data to another host.
  expect(sent.every(({ redirect }) => redirect === "manual")).toBe(true);
});

test("an object of an earlier attempt is found by its sign-up, and a setup intent also by its card", async () => {
  const of = (id: string, sign_up_id: string, used_cards: string) => {
    return { ...ANYTHING, id, metadata: { sign_up_id, used_cards } };
  };
  const data = [of("a", "another", "1"), of("b", "1", "0"), of("c", "1", "1")];
  const { payments, sent, signUp } = await stripeAnd({ ...FAILED, used_cards: 1 }, {}, { ...ANYTHING, data });
  expect(await makeCustomer(payments, signUp)).toBe("b");
  expect(await makeIntent(payments, signUp)).toMatchObject({ id: "c" });
  expect(await subscribe(payments, signUp)).toMatchObject({ stripeSubscriptionId: "b" });
  await payments.findSetupIntent("seti_1");
  expect(sent.map(({ call, params }) => [call, params])).toEqual([
    ["GET customers", { email: "ada@example.com", limit: "100" }],
    ["GET setup_intents", { customer: "cus_1", limit: "100" }],
    ["GET subscriptions", { customer: "cus_1", status: "all", limit: "100" }],
    ["GET setup_intents/seti_1", { "expand[0]": "payment_method" }],
  ]);
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

test("a subscription is taxed by Stripe Tax if configured, and untaxed if Stripe lacks the address", async () => {
  const { payments, instead, sent, signUp } = await stripeAnd({}, { AUTOMATIC_TAX: "true" });
  const answers = [refusal(400, "customer_tax_location_invalid"), answer(200, ANYTHING)];
  instead.clear();
  instead.set("POST customers", answer(200, ANYTHING));
  instead.set("POST subscriptions", () => answers.shift());
  await subscribe(payments, signUp);
  const [looked, , ...tried] = sent;
  expect(looked?.call).toBe("GET subscriptions");
  const said = tried.map(({ params, key }) => `taxed ${params["automatic_tax[enabled]"]}, ${key}`);
  expect(said).toEqual(["taxed true, subscription-taxed-1-0", "taxed undefined, subscription-1-0"]);
});

test("the customers of an address come from both searches, and only customers with a sign-up count", async () => {
  const { payments, instead, sent } = await stripeAnd();
  const one = { id: "cus_1", metadata: { sign_up_id: "a" } };
  instead.clear();
  instead.set("GET customers/search", answer(200, { data: [one, { id: "cus_2", metadata: { sign_up_id: "b" } }] }));
  instead.set("GET customers", answer(200, { data: [one, { id: "cus_3", metadata: {} }] }));
  const found = await payments.findCustomersOf('a"b@example.com');
  expect(found.map(({ id, signUpId }) => `${id} of ${signUpId}`)).toEqual(["cus_1 of a", "cus_2 of b"]);
  const asked = sent.map(({ params }) => params.query ?? params.email);
  expect(asked).toEqual(['a"b@example.com', 'email:"a\\"b@example.com"']);
});
