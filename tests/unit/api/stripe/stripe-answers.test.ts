import { describe, expect, test } from "vitest";
import { type Answer, answer, refusal } from "../../../support/api-in-process/stripe-objects";
import { stopClock } from "../../../support/clock";
import { eventOf, secondsNow, sign } from "../../../support/stripe-events";
import { signUpsInProcess, stripeThatAnswers } from "../sign-ups/sign-ups";

stopClock();

/** With a message that quotes something typed, which no log line may have. */
const failed = (status: number, error: object = {}) =>
  answer(status, { error: { message: "No ada@example.com", ...error } });
const invalid = { type: "invalid_request_error" };

test.each<[string, Answer, reason: string, ofCreation: string, level: string]>([
  ["an error of Stripe's own", failed(500, { type: "api_error" }), "unavailable", "failed", "warn"],
  ["a key with other parameters", failed(400, { type: "idempotency_error" }), "unavailable", "failed", "warn"],
  ["a key in use", failed(409, { type: "idempotency_error" }), "in-progress", "in-progress", "warn"],
  ["an email address", failed(400, { ...invalid, code: "email_invalid" }), "email-refused", "email-refused", "warn"],
  ["a parameter", failed(400, invalid), "unexpected-answer", "unexpected-answer", "warn"],
  ["too many calls", failed(429, invalid), "unavailable", "unavailable", "warn"],
  ["a wrong key", failed(401, invalid), "unavailable", "unavailable", "error"],
  ["a key without permission", failed(403, invalid), "unavailable", "unavailable", "error"],
  ["text instead of JSON", { status: 200, text: "<html>" }, "unexpected-answer", "unexpected-answer", "warn"],
])("a call fails because of %s; Stripe repeats only a creation's error", async (_, said, reason, own, level) => {
  const { services, instead, logged, signUp } = signUpsInProcess();
  instead.set("", said);
  await expect(services.payments.findCard("cus_1")).rejects.toMatchObject({ name: "PaymentsError", reason });
  await expect(services.payments.findOrCreateCustomer(await signUp())).rejects.toMatchObject({ reason: own });
  expect(logged).toMatchObject([{ on: level, event: "stripe_failed" }, { on: level }]);
});

test("an object unknown to Stripe is no setup intent, no card, a canceled subscription, or deleted", async () => {
  const { services, instead } = signUpsInProcess();
  const { payments } = services;
  instead.set("", refusal(404, "resource_missing"));
  expect([await payments.findSetupIntent("seti_1"), await payments.findBilling("sub_1")]).toEqual([
    undefined,
    undefined,
  ]);
  expect(await payments.findCard("cus_1")).toBeNull();
  expect(await payments.retrieveSubscription("sub_1")).toMatchObject({ status: "canceled", trialEnd: null });
  expect(await payments.isCustomerDeleted("cus_1")).toBe(true);
  await payments.cancelSubscription("sub_1");
  await payments.deleteCustomer("cus_1");
});

const NOBODY = { customerId: null, signUpId: undefined, usedCards: 0, fingerprint: null };

const findIntent = (status: string, client_secret: string | null) =>
  stripeThatAnswers({ id: "seti_1", client_secret, status, payment_method: "pm_1" }).payments.findSetupIntent("a");

test.each([
  { status: "requires_payment_method", state: "open" },
  { status: "requires_action", state: "open" },
  { status: "processing", state: "processing" },
  { status: "succeeded", state: "succeeded" },
  { status: "canceled", state: "canceled" },
  { status: "a_later_one", state: "open" },
])("a setup intent with the status $status is $state", async ({ status, state }) => {
  const intent = { id: "seti_1", clientSecret: "a_secret", state, paymentMethodId: "pm_1" };
  expect(await findIntent(status, "a_secret")).toEqual({ ...intent, ...NOBODY });
});

test("a setup intent without a secret is an unexpected answer", async () => {
  await expect(findIntent("requires_action", null)).rejects.toMatchObject({ reason: "unexpected-answer" });
});

test.each([null, "cus_1"])("an error in detaching a card counts if it is still a customer's: %s", async (customer) => {
  const { services, instead } = signUpsInProcess();
  const customers = ["cus_1", customer];
  instead.set("GET payment_methods", () => answer(200, { id: "pm_1", customer: customers.shift() ?? null }));
  instead.set("POST payment_methods", failed(400, invalid));
  const error = await services.payments.detachCard("pm_1").catch(({ reason }) => reason);
  expect(error).toBe(customer === null ? undefined : "unexpected-answer");
});

const subscription = { id: "sub_1", status: "trialing", trial_start: 1_800_000_000, trial_end: 1_800_432_000 };

test.each<[what: string, change: object, status: string | undefined, isCanceledByCustomer?: boolean]>([
  ["incomplete", { status: "incomplete" }, "past_due"],
  ["paused", { status: "paused" }, "past_due"],
  ["canceled by “not me”", { status: "canceled", cancellation_details: { comment: "not-me" } }, "canceled"],
  ["incomplete_expired", { status: "incomplete_expired" }, "canceled"],
  ["to end on a day", { cancel_at: 1_800_000_000 }, "trialing", true],
  ["of a later version", { status: "new" }, undefined],
])("a subscription that is %s", async (_, change, status, isCanceledByCustomer = false) => {
  const { payments } = stripeThatAnswers({ cancel_at_period_end: false, ...subscription, ...change });
  const found = payments.retrieveSubscription("sub_1");
  if (status === undefined) return expect(found).rejects.toMatchObject({ reason: "unexpected-answer" });
  const trialEnd = new Date(1_800_432_000_000);
  expect(await found).toEqual({ stripeSubscriptionId: "sub_1", status, trialEnd, isCanceledByCustomer });
});

test("paid is who paid more than nothing", async () => {
  const paid = (...amounts: number[]) =>
    stripeThatAnswers({ data: amounts.map((amount_paid) => ({ amount_paid })) }).payments.hasPaid("sub_1");
  expect([await paid(), await paid(0), await paid(0, 1)]).toEqual([false, false, true]);
});

describe("the end of a trial", () => {
  const END = 1_900_000_000;
  const STANDARD = { name: "STANDARD" };
  const visa = { id: "pm_1", card: { brand: "visa", last4: "4242" } };
  const price = { currency: "usd", product: STANDARD, unit_amount: 50_000 };
  const trial = {
    ...{ ...subscription, trial_end: END, cancel_at: null, cancel_at_period_end: false },
    ...{ collection_method: "charge_automatically", default_payment_method: null, pause_collection: null },
    customer: { id: "cus_1", invoice_settings: { default_payment_method: visa } },
    items: { data: [{ price, quantity: 1 }] },
    latest_invoice: { id: "in_1", amount_due: 0 },
    trial_settings: { end_behavior: { missing_payment_method: "cancel" } },
  };
  const preview = { amount_due: 50_000, currency: "usd", subtotal: 50_000, total: 50_000 };
  const withoutCard = { customer: { id: "cus_1", invoice_settings: { default_payment_method: null } } };

  async function billingOf(change: object, invoice: Answer = answer(200, preview)) {
    const { services, instead } = signUpsInProcess();
    instead.set("GET subscriptions", answer(200, { ...trial, ...change }));
    instead.set("POST invoices/create_preview", invoice);
    return services.payments.findBilling("sub_1");
  }
  const end = (why: string, at = END) => ({ trialEndOutcome: { next: "end", why, at: new Date(at * 1000) } });
  const unknown = { trialEndOutcome: { next: "unknown" } };
  type Charge = { cents: number; tax: number | "added" } | null;
  const charge = (first: Charge, later = first) => ({ trialEndOutcome: { next: "charge", first, later } });
  const untaxed = (cents: number) => ({ cents, tax: 0 });
  const whole = { cents: 54_000, tax: 4_000 };

  const amex = { card: { brand: "amex", last4: "0005" } };
  const data = [STANDARD, { name: "Seats" }, { deleted: true }].map((product) => ({ price: { ...price, product } }));
  const taxed = { total: 54_000, total_taxes: [{ amount: 4_000 }] };
  const untaxable = { automatic_tax: { enabled: true, status: "requires_location_inputs" } };
  const more = { subtotal: 51_000, amount_due: 51_000, total: 51_000 };
  const discounted = { amount_due: 40_000, total: 40_000, total_discount_amounts: [{ amount: 10_000 }] };

  test.each<[string, change: object, ofPreview: object, expected: object]>([
    ["nothing changed", {}, {}, { ...charge(untaxed(50_000)), card: visa.card, plan: "STANDARD" }],
    ["a card of its own", { default_payment_method: amex }, {}, amex],
    ["more products", { items: { data } }, {}, { plan: "STANDARD, Seats" }],
    ["an invoice", { latest_invoice: { amount_due: 1 } }, {}, { isInvoiced: true }],
    ["a charge already", { status: "active" }, {}, { isTrialing: false }],
    ["a cancellation by the API", { cancel_at_period_end: true }, {}, end("canceled")],
    ["a cancellation in the portal", { cancel_at: END }, {}, end("canceled")],
    ["a cancellation for an earlier day", { cancel_at: END - 86_400 }, {}, end("canceled", END - 86_400)],
    ["a cancellation for a day after the first charge", { cancel_at: END + 86_400 }, {}, charge(untaxed(50_000))],
    ["no end", { trial_end: null }, {}, unknown],
    ["a removed card", withoutCard, {}, { ...end("no-card"), card: null }],
    ["a removed card and invoices by email", { ...withoutCard, trial_settings: null }, {}, unknown],
    ["paused collection", { pause_collection: { behavior: "void" } }, {}, unknown],
    ["invoices by email", { collection_method: "send_invoice" }, {}, unknown],
    ["a tax", {}, { ...taxed, amount_due: 54_000 }, charge(whole)],
    ["a tax and a credit", {}, { ...taxed, amount_due: 44_000 }, charge(untaxed(44_000), whole)],
    ["a tax that Stripe cannot compute yet", {}, untaxable, charge({ cents: 50_000, tax: "added" })],
    ["a discount, which may end", {}, discounted, charge(untaxed(40_000), null)],
    ["items of the first invoice alone", {}, more, charge(untaxed(51_000), null)],
    ["another currency", {}, { currency: "eur" }, charge(null)],
  ])("follows Stripe's subscription and preview, with %s", async (_, change, ofPreview, expected) => {
    const billing = await billingOf(change, answer(200, { ...preview, ...ofPreview }));
    expect(billing).toMatchObject({ isTrialing: true, isInvoiced: false, ...expected });
  });

  test("charges an unknown amount if Stripe refuses a preview; if it is unavailable, the email waits", async () => {
    expect(await billingOf({}, refusal(400, "none"))).toMatchObject(charge(null));
    await expect(billingOf({}, failed(500))).rejects.toMatchObject({ reason: "unavailable" });
  });
});

const MINI = { id: "a-package", name: "MINI", price_cents: 10_000 };
const every = (interval: string, interval_count = 1) => ({ recurring: { interval, interval_count } });
const monthly = { ...every("month"), currency: "usd", unit_amount: 10_000 };
const OTHERS = [{ unit_amount: 10_001 }, { currency: "eur" }, every("year"), every("month", 2), { recurring: null }];

test.each([{}, ...OTHERS])("a price of $100 a month with %j is a package's if nothing differs", async (change) => {
  const { prices, sent } = stripeThatAnswers({ data: [{ id: "price_1", product: "prod_1", ...monthly, ...change }] });
  const isIt = Object.keys(change).length === 0;
  expect(await prices.find(MINI)).toEqual(isIt ? { id: "price_1", product: "prod_1", created: false } : undefined);
  expect(sent.map(({ params }) => params)).toEqual([{ "lookup_keys[0]": "a-package", active: "true", limit: "1" }]);
});

test("a package without a price gets a product of its name, and a price for each month", async () => {
  const { prices, sent } = stripeThatAnswers({ id: "made", data: [] });
  expect(await prices.findOrCreate(MINI)).toEqual({ id: "made", product: "made", created: true });
  const ofMonth = { currency: "usd", "recurring[interval]": "month", transfer_lookup_key: "true" };
  expect(sent.slice(1).map(({ call, params }) => [call, params])).toEqual([
    ["POST products", { name: "MINI", "metadata[package_id]": "a-package" }],
    ["POST prices", { ...ofMonth, lookup_key: "a-package", product: "made", unit_amount: "10000" }],
  ]);
});

const [NEW, OLD] = ["whsec_of_the_next_months_1234", "whsec_of_this_month_12345678"] as const;
const receive = (payload: string, signature = sign(payload, OLD)) =>
  signUpsInProcess({ settings: { STRIPE_WEBHOOK_SECRET: `${NEW},${OLD}` } }).services.stripeWebhook.read(
    payload,
    signature,
  );
const SIGN_UP = "6f1c9d3e-8a20-4b57-9c14-2d5e7f8a9b01";
const setUp = { id: "seti_1", customer: "cus_1", metadata: { sign_up_id: SIGN_UP } };
const card = { signUpId: SIGN_UP, customerId: "cus_1", setupIntentId: "seti_1" };
const about = { id: "sub_1", customer: "cus_1" };
const changed = { status: "subscription-changed", stripeSubscriptionId: "sub_1", customerId: "cus_1" };
const ofSubscriptions = ["created", "updated", "deleted", "paused", "resumed", "trial_will_end"];

test.each<[type: string, about: object, content: object]>([
  ["setup_intent.succeeded", setUp, { status: "card-set-up", card }],
  ["setup_intent.setup_failed", setUp, { status: "card-declined", card }],
  ...ofSubscriptions.map((what): [string, object, object] => [`customer.subscription.${what}`, about, changed]),
])("the event %s is read", async (type, object, expected) => {
  expect(await receive(eventOf(type, object, "evt_1"))).toEqual({ ...expected, event: { id: "evt_1", type } });
});

test.each<[string, string]>([
  ["of another type", eventOf("setup_intent.created", setUp)],
  ["about a setup intent without a sign-up", eventOf("setup_intent.succeeded", { ...setUp, metadata: {} })],
  ["about a customer of another service", eventOf("setup_intent.succeeded", { ...setUp, customer: null })],
  ["without an id", eventOf("customer.subscription.updated", about, "")],
  ["that is not JSON", "{"],
])("an event %s is ignored", async (_, payload) => {
  expect(await receive(payload)).toEqual({ status: "ignored" });
});

test("an event's signature is valid for five minutes, for its bytes and each of two secrets", async () => {
  const payload = eventOf("setup_intent.succeeded", setUp);
  const signed = (age: number, secret: string = OLD) => sign(payload, secret, secondsNow() - age);
  for (const header of [signed(299), signed(0, NEW)])
    expect((await receive(payload, header)).status).toBe("card-set-up");
  for (const header of [signed(301), signed(0, `${OLD}x`), sign(`${payload} `, OLD), "", "t=1", "nonsense"])
    expect((await receive(payload, header)).status, header).toBe("rejected");
});
