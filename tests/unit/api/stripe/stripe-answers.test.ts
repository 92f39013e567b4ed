import { expect, test } from "vitest";
import { answer, refusal } from "../../../support/api-in-process/stripe-objects";
import { signUpsInProcess } from "../sign-ups/sign-ups";
import { paymentsOf } from "./payments-of";

test("objects unknown to Stripe are none, are over, and need no end", async () => {
  const { services, instead } = signUpsInProcess();
  instead.set("", refusal(404, "resource_missing"));
  const { payments } = services;
  const canceled = { status: "canceled", trialEnd: null };
  expect(await payments.findSetupIntent("seti_1")).toBeUndefined();
  expect(await payments.previewCharge("sub_1")).toBeUndefined();
  expect(await payments.retrieveSubscription("sub_1")).toMatchObject(canceled);
  expect(await payments.cancelSubscription("sub_1")).toMatchObject(canceled);
  expect(await payments.findSubscriptionsOf("cus_1")).toEqual([]);
  expect(await payments.findCard("cus_1")).toBeNull();
  expect(await payments.hasCustomerHadTrial("cus_1")).toBeNull();
  await payments.detachCardsOf("cus_1");
  await payments.deleteCustomer("cus_1");
});

test("an error in detaching a card is thrown, unless the card was detached meanwhile", async () => {
  const { services, instead } = signUpsInProcess();
  const owners = ["cus_1", "cus_1", "cus_1", null];
  instead.set("GET payment_methods", () => answer(200, { id: "pm_1", customer: owners.shift() ?? null }));
  instead.set("POST payment_methods", refusal(400, "payment_method_unexpected_state"));
  await expect(services.payments.detachCard("pm_1")).rejects.toMatchObject({ reason: "unexpected-answer" });
  await services.payments.detachCard("pm_1");
  expect(owners, "the times that Stripe was asked for the owner").toEqual([]);
});

test.each([
  { status: "requires_action", means: "open" },
  { status: "processing", means: "processing" },
  { status: "succeeded", means: "succeeded" },
  { status: "canceled", means: "canceled" },
])("a setup intent with the status $status is $means", async ({ status, means }) => {
  const { payments } = await paymentsOf({ id: "seti_1", client_secret: "a_secret", status, payment_method: "pm_1" });
  const ids = { id: "seti_1", clientSecret: "a_secret", paymentMethodId: "pm_1", customerId: null };
  const none = { fingerprint: null, signUpId: undefined, usedCards: 0 };
  expect(await payments.findSetupIntent("seti_1")).toEqual({ ...ids, ...none, status: means });
});

const SUBSCRIPTION = { id: "sub_1", status: "trialing", trial_end: 1_800_432_000, cancel_at_period_end: false };
const NOT_ME = { status: "canceled", cancellation_details: { comment: "not-me" } };

test.each([
  { change: { status: "incomplete" }, status: "past_due", byCustomer: false },
  { change: { status: "paused" }, status: "past_due", byCustomer: false },
  { change: { status: "unpaid" }, status: "past_due", byCustomer: false },
  { change: { status: "incomplete_expired" }, status: "canceled", byCustomer: false },
  { change: { status: "canceled" }, status: "canceled", byCustomer: true },
  { change: { cancel_at: 1_800_000_000 }, status: "trialing", byCustomer: true },
  { change: { cancel_at_period_end: true }, status: "trialing", byCustomer: true },
  { change: NOT_ME, status: "canceled", byCustomer: false },
])("a subscription with $change counts as $status, canceled by the customer: $byCustomer", async (row) => {
  const { payments } = await paymentsOf({ ...SUBSCRIPTION, ...row.change });
  expect(await payments.retrieveSubscription("sub_1")).toEqual({
    stripeSubscriptionId: "sub_1",
    status: row.status,
    trialEnd: new Date(1_800_432_000_000),
    isCanceledByCustomer: row.byCustomer,
  });
});

test("a setup intent without a secret, and a subscription's unknown status, are unexpected answers", async () => {
  const { payments } = await paymentsOf({ ...SUBSCRIPTION, status: "new", client_secret: null });
  await expect(payments.findSetupIntent("seti_1")).rejects.toMatchObject({ reason: "unexpected-answer" });
  await expect(payments.retrieveSubscription("sub_1")).rejects.toMatchObject({ reason: "unexpected-answer" });
});

test.each([
  { amounts: [0], isPaid: false },
  { amounts: [0, 1], isPaid: true },
])("a subscription with paid invoices of $amounts cents was paid: $isPaid", async ({ amounts, isPaid }) => {
  const { payments } = await paymentsOf({ data: amounts.map((amount_paid) => ({ amount_paid })) });
  expect(await payments.hasPaid("sub_1")).toBe(isPaid);
});

const END = 1_900_000_000;
const visa = { id: "pm_1", card: { brand: "visa", last4: "4242" } };
const amex = { card: { brand: "amex", last4: "0005" } };
const MONTHLY = { interval: "month", interval_count: 1 };
const price = { currency: "usd", product: { name: "STANDARD" }, recurring: MONTHLY, unit_amount: 50_000 };
const itemsOf = (...changes: object[]) => ({
  items: { data: changes.map((change) => ({ price: { ...price, ...change }, quantity: 1 })) },
});
const trial = {
  ...SUBSCRIPTION,
  ...itemsOf({}),
  trial_end: END,
  cancel_at: null,
  default_payment_method: null,
  pause_collection: null,
  customer: { id: "cus_1", invoice_settings: { default_payment_method: visa } },
  latest_invoice: { id: "in_1", amount_due: 0 },
  trial_settings: { end_behavior: { missing_payment_method: "cancel" } },
};
const preview = { amount_due: 50_000, currency: "usd", starting_balance: 0, subtotal: 50_000, total: 50_000 };

function billingOf(change: object, invoice = answer(200, preview)) {
  const { services, instead } = signUpsInProcess();
  instead.set("GET subscriptions", answer(200, { ...trial, ...change }));
  instead.set("POST invoices/create_preview", invoice);
  return services.payments.previewCharge("sub_1");
}

type Amount = { cents: number; tax: number | "added" } | null;
const untaxed = (cents: number) => ({ cents, tax: 0 });
const charge = (first: Amount, later = first, others: object = {}) => ({
  trialEndOutcome: { next: "charge", first, later, isReduced: false, every: "month", endsAt: null, ...others },
});
const regular = (others: object) => charge(untaxed(50_000), untaxed(50_000), others);
const REDUCED = { isReduced: true };
const reduced = charge(untaxed(40_000), null, REDUCED);
const end = (why: string, at = END) => ({ trialEndOutcome: { next: "end", why, at: new Date(at * 1000) } });
const unknown = { trialEndOutcome: { next: "unknown" } };

const cancelAt = (days: number) => ({ cancel_at: END + days * 86_400 });
const endsAfter = (days: number, every: string | null) =>
  regular({ every, endsAt: new Date((END + days * 86_400) * 1000) });
const yearly = { recurring: { interval: "year", interval_count: 1 } };
const quarterly = { recurring: { interval: "month", interval_count: 3 } };
const half = { unit_amount: 25_000 };
const products = itemsOf({}, { product: { name: "Seats" } }, { product: { deleted: true } });
const noCard = { customer: { id: "cus_1", invoice_settings: { default_payment_method: null } } };
const whole = { cents: 54_000, tax: 4_000 };
const taxed = { total: 54_000, total_taxes: [{ amount: 4_000 }] };
const untaxable = { automatic_tax: { enabled: true, status: "requires_location_inputs" } };
const more = { subtotal: 51_000, amount_due: 51_000, total: 51_000 };
const credit = (cents: number) => ({ amount_due: 0, starting_balance: -cents });
const less = { amount_due: 40_000, total: 40_000 };
const amounts = [{ amount: 10_000 }];

test.each<{ what: string; change?: object; ofPreview?: object; expected: object }>([
  { what: "nothing changed", expected: { ...charge(untaxed(50_000)), card: visa.card, plan: "STANDARD" } },
  { what: "a card of its own", change: { default_payment_method: amex }, expected: amex },
  { what: "more products", change: products, expected: { plan: "STANDARD, Seats" } },
  { what: "an invoice", change: { latest_invoice: { amount_due: 1 } }, expected: { isInvoiced: true } },
  { what: "a charge already", change: { status: "active" }, expected: { isTrialing: false } },
  { what: "a cancellation by the API", change: { cancel_at_period_end: true }, expected: end("canceled") },
  { what: "a cancellation in the portal", change: { cancel_at: END }, expected: end("canceled") },
  { what: "an earlier cancellation", change: { cancel_at: END - 1 }, expected: end("canceled", END - 1) },
  { what: "a price by the quarter", change: itemsOf(quarterly), expected: regular({ every: "3 months" }) },
  { what: "two intervals", change: itemsOf(half, { ...half, ...yearly }), expected: regular({ every: null }) },
  { what: "a schedule", change: { schedule: "sub_sched_1" }, expected: regular({ every: null }) },
  { what: "an end after the second charge", change: cancelAt(32), expected: endsAfter(32, "month") },
  { what: "an end before the second charge", change: cancelAt(31), expected: endsAfter(31, null) },
  { what: "an end within a year", change: { ...itemsOf(yearly), ...cancelAt(364) }, expected: endsAfter(364, null) },
  { what: "an end after a year", change: { ...itemsOf(yearly), ...cancelAt(367) }, expected: endsAfter(367, "year") },
  { what: "no end", change: { trial_end: null }, expected: unknown },
  { what: "a removed card", change: noCard, expected: { ...end("no-card"), card: null } },
  { what: "no card, and invoices", change: { ...noCard, trial_settings: null }, expected: unknown },
  { what: "paused collection", change: { pause_collection: { behavior: "void" } }, expected: unknown },
  { what: "invoices by email", change: { collection_method: "send_invoice" }, expected: unknown },
  { what: "a tax", ofPreview: { ...taxed, amount_due: 54_000 }, expected: charge(whole) },
  { what: "a tax and a credit", ofPreview: { ...taxed, amount_due: 9 }, expected: charge(untaxed(9), whole) },
  { what: "an unknown tax", ofPreview: untaxable, expected: charge({ cents: 50_000, tax: "added" }) },
  { what: "a credit for one payment", ofPreview: credit(50_000), expected: charge(untaxed(0), untaxed(50_000)) },
  { what: "a larger credit", ofPreview: credit(50_001), expected: charge(untaxed(0), untaxed(50_000), REDUCED) },
  { what: "a discount", ofPreview: { ...less, total_discount_amounts: amounts }, expected: reduced },
  { what: "credits", ofPreview: { ...less, total_pretax_credit_amounts: amounts }, expected: reduced },
  { what: "items of the first invoice alone", ofPreview: more, expected: charge(untaxed(51_000), null) },
  { what: "another currency", ofPreview: { currency: "eur" }, expected: charge(null) },
])("the end of a trial follows Stripe's subscription and preview, with $what", async (row) => {
  const billing = await billingOf(row.change ?? {}, answer(200, { ...preview, ...row.ofPreview }));
  expect(billing).toMatchObject({ isTrialing: true, isInvoiced: false, ...row.expected });
});

test("a trial's charge is unknown if Stripe refuses a preview; if it is unavailable, the email waits", async () => {
  expect(await billingOf({}, refusal(400, "none"))).toMatchObject(charge(null));
  await expect(billingOf({}, refusal(500, "none", "api_error"))).rejects.toMatchObject({ reason: "unavailable" });
});
