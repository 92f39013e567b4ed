import { describe, expect, test } from "vitest";
import { type Answer, answer, refusal } from "../../../support/api-in-process/stripe-objects";
import { stopClock } from "../../../support/clock";
import { signUpsInProcess } from "../sign-ups/sign-ups";
import { paymentsOf } from "./payments-of";

stopClock();

/** An error whose message quotes something that was typed, which no log line may have. */
const failed = (status: number, error: object = {}) =>
  answer(status, { error: { message: "No ada@example.com", ...error } });

/** Payments for which Stripe has no object of any ID. */
function withoutObjects() {
  const { services, instead } = signUpsInProcess();
  instead.set("", refusal(404, "resource_missing"));
  return services.payments;
}

test("a setup intent unknown to Stripe is none", async () => {
  expect(await withoutObjects().findSetupIntent("seti_1")).toBeUndefined();
});

test("a subscription unknown to Stripe has no billing, and is canceled", async () => {
  expect(await withoutObjects().previewCharge("sub_1")).toBeUndefined();
  expect(await withoutObjects().retrieveSubscription("sub_1")).toMatchObject({ status: "canceled", trialEnd: null });
});

test("a customer unknown to Stripe has no card, and is deleted", async () => {
  expect(await withoutObjects().findCard("cus_1")).toBeNull();
  expect(await withoutObjects().isCustomerDeleted("cus_1")).toBe(true);
});

test("canceling or deleting an object unknown to Stripe does nothing", async () => {
  await expect(withoutObjects().cancelSubscription("sub_1")).resolves.toMatchObject({ status: "canceled" });
  await expect(withoutObjects().deleteCustomer("cus_1")).resolves.toBeUndefined();
});

/** A setup intent as Stripe answers it. */
const findSetupIntent = async (given: object) => {
  const { payments } = await paymentsOf({ everyAnswer: { id: "seti_1", client_secret: "a_secret", ...given } });
  return payments.findSetupIntent("seti_1");
};

test.each([
  { status: "requires_payment_method", means: "open" },
  { status: "requires_action", means: "open" },
  { status: "processing", means: "processing" },
  { status: "succeeded", means: "succeeded" },
  { status: "canceled", means: "canceled" },
  { status: "a_later_one", means: "open" },
])("a setup intent with the status $status is $means", async ({ status, means }) => {
  expect(await findSetupIntent({ status, payment_method: "pm_1" })).toEqual({
    id: "seti_1",
    clientSecret: "a_secret",
    status: means,
    customerId: null,
    signUpId: undefined,
    usedCards: 0,
    paymentMethodId: "pm_1",
    fingerprint: null,
  });
});

test("a setup intent without a client secret is an unexpected answer", async () => {
  const found = findSetupIntent({ status: "processing", client_secret: null });
  await expect(found).rejects.toMatchObject({ reason: "unexpected-answer" });
});

/** Detaches a card, which Stripe refuses; then the card belongs to this customer. */
function detachInVain(customerAfterwards: string | null) {
  const { services, instead } = signUpsInProcess();
  const customers = ["cus_1", customerAfterwards];
  instead.set("GET payment_methods", () => answer(200, { id: "pm_1", customer: customers.shift() ?? null }));
  instead.set("POST payment_methods", refusal(400, "payment_method_unexpected_state"));
  return services.payments.detachCard("pm_1");
}

test("an error in detaching a card is none if the card was detached meanwhile", async () => {
  await expect(detachInVain(null)).resolves.toBeUndefined();
});

test("an error in detaching a card is thrown while the card is a customer's", async () => {
  await expect(detachInVain("cus_1")).rejects.toMatchObject({ reason: "unexpected-answer" });
});

const subscription = { id: "sub_1", status: "trialing", trial_start: 1_800_000_000, trial_end: 1_800_432_000 };

/** A subscription as Stripe answers it. */
const retrieve = async (change: object) => {
  const { payments } = await paymentsOf({ everyAnswer: { cancel_at_period_end: false, ...subscription, ...change } });
  return payments.retrieveSubscription("sub_1");
};

test.each([
  { what: "incomplete", change: { status: "incomplete" }, status: "past_due" },
  { what: "paused", change: { status: "paused" }, status: "past_due" },
  { what: "unpaid", change: { status: "unpaid" }, status: "past_due" },
  { what: "incomplete and expired", change: { status: "incomplete_expired" }, status: "canceled" },
])("a subscription that is $what counts as $status", async ({ change, status }) => {
  expect(await retrieve(change)).toMatchObject({ stripeSubscriptionId: "sub_1", status });
});

test("a subscription has its trial's end", async () => {
  expect(await retrieve({})).toMatchObject({ trialEnd: new Date(1_800_432_000_000) });
});

test.each([
  { what: "ended by its customer", change: { status: "canceled" }, byCustomer: true },
  { what: "to end on a day", change: { cancel_at: 1_800_000_000 }, byCustomer: true },
  { what: "to end with its period", change: { cancel_at_period_end: true }, byCustomer: true },
  {
    what: "ended by “This wasn’t me”",
    change: { status: "canceled", cancellation_details: { comment: "not-me" } },
    byCustomer: false,
  },
])("a subscription that is $what was canceled by the customer: $byCustomer", async ({ change, byCustomer }) => {
  expect(await retrieve(change)).toMatchObject({ isCanceledByCustomer: byCustomer });
});

test("a subscription with a status of a later API version is an unexpected answer", async () => {
  await expect(retrieve({ status: "new" })).rejects.toMatchObject({ reason: "unexpected-answer" });
});

test.each([
  { amounts: [], isPaid: false },
  { amounts: [0], isPaid: false },
  { amounts: [0, 1], isPaid: true },
])("a subscription with paid invoices over $amounts cents was paid: $isPaid", async ({ amounts, isPaid }) => {
  const everyAnswer = { data: amounts.map((amount_paid) => ({ amount_paid })) };
  const { payments } = await paymentsOf({ everyAnswer });
  expect(await payments.hasPaid("sub_1")).toBe(isPaid);
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
    return services.payments.previewCharge("sub_1");
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

  test.each<{ what: string; change?: object; ofPreview?: object; expected: object }>([
    { what: "nothing changed", expected: { ...charge(untaxed(50_000)), card: visa.card, plan: "STANDARD" } },
    { what: "a card of its own", change: { default_payment_method: amex }, expected: amex },
    { what: "more products", change: { items: { data } }, expected: { plan: "STANDARD, Seats" } },
    { what: "an invoice", change: { latest_invoice: { amount_due: 1 } }, expected: { isInvoiced: true } },
    { what: "a charge already", change: { status: "active" }, expected: { isTrialing: false } },
    { what: "a cancellation by the API", change: { cancel_at_period_end: true }, expected: end("canceled") },
    { what: "a cancellation in the portal", change: { cancel_at: END }, expected: end("canceled") },
    {
      what: "a cancellation for an earlier day",
      change: { cancel_at: END - 86_400 },
      expected: end("canceled", END - 86_400),
    },
    {
      what: "a cancellation for a day after the first charge",
      change: { cancel_at: END + 86_400 },
      expected: charge(untaxed(50_000)),
    },
    { what: "no end", change: { trial_end: null }, expected: unknown },
    { what: "a removed card", change: withoutCard, expected: { ...end("no-card"), card: null } },
    {
      what: "a removed card and invoices by email",
      change: { ...withoutCard, trial_settings: null },
      expected: unknown,
    },
    { what: "paused collection", change: { pause_collection: { behavior: "void" } }, expected: unknown },
    { what: "invoices by email", change: { collection_method: "send_invoice" }, expected: unknown },
    { what: "a tax", ofPreview: { ...taxed, amount_due: 54_000 }, expected: charge(whole) },
    {
      what: "a tax and a credit",
      ofPreview: { ...taxed, amount_due: 44_000 },
      expected: charge(untaxed(44_000), whole),
    },
    {
      what: "a tax that Stripe cannot compute yet",
      ofPreview: untaxable,
      expected: charge({ cents: 50_000, tax: "added" }),
    },
    { what: "a discount, which may end", ofPreview: discounted, expected: charge(untaxed(40_000), null) },
    { what: "items of the first invoice alone", ofPreview: more, expected: charge(untaxed(51_000), null) },
    { what: "another currency", ofPreview: { currency: "eur" }, expected: charge(null) },
  ])("follows Stripe's subscription and preview, with $what", async ({ change = {}, ofPreview = {}, expected }) => {
    const billing = await billingOf(change, answer(200, { ...preview, ...ofPreview }));
    expect(billing).toMatchObject({ isTrialing: true, isInvoiced: false, ...expected });
  });

  test("charges an unknown amount if Stripe refuses a preview; if it is unavailable, the email waits", async () => {
    expect(await billingOf({}, refusal(400, "none"))).toMatchObject(charge(null));
    await expect(billingOf({}, failed(500))).rejects.toMatchObject({ reason: "unavailable" });
  });
});
