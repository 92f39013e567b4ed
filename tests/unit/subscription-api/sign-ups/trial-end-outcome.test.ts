import { describe, expect, test } from "vitest";
import type { Amount } from "../../../../functions/subscription-api/stripe/billing";
import { signUpsInProcess, stripeThatAnswers } from "../../../support/api-in-process/sign-ups";
import { answer } from "../../../support/api-in-process/stripe-model";

const END = 1_900_000_000;
const STANDARD = { id: "prod_1", name: "STANDARD" };
const CARD = { id: "pm_1", card: { brand: "visa", last4: "4242" } };

/** What Stripe answers of a trial, in the fields that are read. */
const trial = {
  id: "sub_1",
  status: "trialing",
  cancel_at: null,
  cancel_at_period_end: false,
  collection_method: "charge_automatically",
  customer: { id: "cus_1", invoice_settings: { default_payment_method: CARD } },
  default_payment_method: null,
  discounts: [],
  items: { data: [{ price: { currency: "usd", product: STANDARD, unit_amount: 50_000 }, quantity: 1 }] },
  latest_invoice: { id: "in_1", amount_due: 0 },
  metadata: null,
  pause_collection: null,
  trial_end: END,
  trial_settings: { end_behavior: { missing_payment_method: "cancel" } },
  trial_start: END - 432_000,
};

const answering = (answer: object) => stripeThatAnswers(answer).payments;

describe("the outcome of a trial's end", () => {
  const charged = (cents: number) => ({ next: "charge", first: { cents, tax: 0 }, later: { cents, tax: 0 } });
  const charge = charged(50_000);
  const notFixed = { next: "charge", first: null, later: null };
  const end = (why: string, at = END) => ({ next: "end", why, at: new Date(at * 1000) });
  const without = { customer: { invoice_settings: { default_payment_method: null } } };
  test.each([
    ["no cancellation", {}, charge],
    ["a cancellation by the API", { cancel_at_period_end: true }, end("canceled")],
    ["a cancellation in the portal", { cancel_at: END }, end("canceled")],
    ["a cancellation for an earlier day", { cancel_at: END - 86_400 }, end("canceled", END - 86_400)],
    ["a cancellation for a day after the first charge", { cancel_at: END + 86_400 }, charge],
    ["a discount", { discounts: ["di_1"] }, notFixed],
    ["a price without an amount", { items: { data: [{ price: { currency: "usd", product: STANDARD } }] } }, notFixed],
    [
      "a price in euros",
      { items: { data: [{ price: { currency: "eur", product: STANDARD, unit_amount: 50_000 } }] } },
      notFixed,
    ],
    ["a trial without an end", { trial_end: null }, { next: "unknown" }],
    [
      "a quantity of one and no discount data",
      { discounts: null, items: { data: [{ price: trial.items.data[0]?.price }] } },
      charge,
    ],
    ["a quantity of three", { items: { data: [{ ...trial.items.data[0], quantity: 3 }] } }, charged(150_000)],
    ["a credit", { customer: { ...trial.customer, balance: -60_000 } }, { ...charge, first: { cents: 0, tax: 0 } }],
    [
      "taxes that Stripe adds",
      { automatic_tax: { enabled: true } },
      { next: "charge", first: { cents: 50_000, tax: "added" }, later: { cents: 50_000, tax: "added" } },
    ],
    ["a removed card", without, end("no-card")],
    ["a removed card that leads to an emailed invoice", { ...without, trial_settings: null }, { next: "unknown" }],
    ["paused collection", { pause_collection: { behavior: "void" } }, { next: "unknown" }],
    ["emailed invoices", { collection_method: "send_invoice" }, { next: "unknown" }],
  ])("follows Stripe with %s [T3]", async (_, changed, trialEndOutcome) => {
    const billing = await answering({ ...trial, ...changed }).findBilling("sub_1");
    const trialEnd = "trial_end" in changed ? null : new Date(END * 1000);
    expect(billing).toMatchObject({ isTrialing: true, isInvoiced: false, trialEndOutcome, trialEnd });
  });

  const invoice = { amount_due: 50_000, currency: "usd", subtotal: 50_000, total: 50_000 };
  const taxed = { ...invoice, total: 54_000, total_taxes: [{ amount: 4_000 }] };
  test.each<[string, object, { first: Amount | null; later: Amount | null }]>([
    ["nothing else", invoice, { first: { cents: 50_000, tax: 0 }, later: { cents: 50_000, tax: 0 } }],
    [
      "a tax",
      { ...taxed, amount_due: 54_000, automatic_tax: { enabled: true, status: "complete" } },
      { first: { cents: 54_000, tax: 4_000 }, later: { cents: 54_000, tax: 4_000 } },
    ],
    [
      "a tax and a credit",
      { ...taxed, amount_due: 44_000 },
      { first: { cents: 44_000, tax: 0 }, later: { cents: 54_000, tax: 4_000 } },
    ],
    [
      "a tax that cannot be computed",
      { ...invoice, automatic_tax: { enabled: true, status: "requires_location_inputs" } },
      { first: { cents: 50_000, tax: "added" }, later: { cents: 50_000, tax: "added" } },
    ],
    [
      "a discount",
      { ...invoice, amount_due: 40_000, total: 40_000, total_discount_amounts: [{ amount: 10_000 }] },
      { first: { cents: 40_000, tax: 0 }, later: null },
    ],
    [
      "another item of the first invoice",
      { ...invoice, amount_due: 51_000, subtotal: 51_000, total: 51_000 },
      { first: { cents: 51_000, tax: 0 }, later: { cents: 50_000, tax: 0 } },
    ],
    ["another currency", { ...invoice, currency: "eur" }, { first: null, later: null }],
  ])("has the amount of Stripe's invoice preview, with %s [T3]", async (_, preview, charges) => {
    const { services, instead, sent } = signUpsInProcess();
    instead.set("GET subscriptions", answer(200, trial));
    instead.set("POST invoices/create_preview", answer(200, preview));
    const billing = await services.payments.findBilling("sub_1");
    expect(billing?.trialEndOutcome).toEqual({ next: "charge", ...charges });
    expect(sent.at(-1)?.params).toEqual({ subscription: "sub_1" });
  });

  test("has the plan's price if the preview fails, after one attempt [T3]", async () => {
    const { services, instead, calls } = signUpsInProcess();
    instead.set("GET subscriptions", answer(200, trial));
    instead.set("POST invoices/create_preview", answer(500, { error: { type: "api_error" } }));
    expect((await services.payments.findBilling("sub_1"))?.trialEndOutcome).toEqual(charge);
    expect(calls).toEqual(["GET subscriptions/sub_1", "POST invoices/create_preview"]);
  });

  test("has the subscription's card, else its customer's", async () => {
    const own = { card: { brand: "amex", last4: "0005" } };
    const of = async (changed: object) => (await answering({ ...trial, ...changed }).findBilling("sub_1"))?.card;
    expect(await of({ default_payment_method: own })).toEqual(own.card);
    expect(await of({})).toEqual(CARD.card);
    expect(await of(without)).toBeNull();
    const customer = async (settings: object) => answering({ id: "cus_1", ...settings }).findCard("cus_1");
    expect(await customer({ invoice_settings: { default_payment_method: CARD } })).toEqual(CARD.card);
    expect(await customer({ invoice_settings: { default_payment_method: null } })).toBeNull();
    expect(await customer({ invoice_settings: null })).toBeNull();
  });

  test.each<[string, object[], string | null]>([
    ["the product's", [STANDARD], "STANDARD"],
    ["both products'", [STANDARD, { id: "prod_2", name: "More seats" }], "STANDARD, More seats"],
    ["none if the product was deleted", [{ id: "prod_1", deleted: true }], null],
  ])("has the plan's name: %s [T3]", async (_, products, plan) => {
    const items = { data: products.map((product) => ({ price: { currency: "usd", product, unit_amount: 50_000 } })) };
    expect(await answering({ ...trial, items }).findBilling("sub_1")).toMatchObject({ plan });
  });

  test("includes an invoice that is already paid [T4]", async () => {
    const payments = answering({ ...trial, latest_invoice: { amount_due: 50_000 } });
    expect(await payments.findBilling("sub_1")).toMatchObject({ isInvoiced: true });
  });
});
