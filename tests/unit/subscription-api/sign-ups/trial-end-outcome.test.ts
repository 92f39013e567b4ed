import { describe, expect, test } from "vitest";
import { stripeThatAnswers } from "../../../support/api-in-process/sign-ups";

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

describe("what happens at a trial's end", () => {
  const charge = { next: "charge", cents: 50_000 };
  const end = (why: string, at = END) => ({ next: "end", why, at: new Date(at * 1000) });
  const without = { customer: { invoice_settings: { default_payment_method: null } } };
  test.each([
    ["nothing was cancelled", {}, charge],
    ["cancelled by the API", { cancel_at_period_end: true }, end("canceled")],
    ["cancelled in the portal", { cancel_at: END }, end("canceled")],
    ["cancelled for an earlier day", { cancel_at: END - 86_400 }, end("canceled", END - 86_400)],
    ["cancelled for a day after the first charge", { cancel_at: END + 86_400 }, charge],
    ["a discount", { discounts: ["di_1"] }, { next: "charge", cents: null }],
    [
      "a price without an amount",
      { items: { data: [{ price: { currency: "usd", product: STANDARD } }] } },
      { next: "charge", cents: null },
    ],
    [
      "a price in euros",
      { items: { data: [{ price: { currency: "eur", product: STANDARD, unit_amount: 50_000 } }] } },
      { next: "charge", cents: null },
    ],
    ["no end of the trial", { trial_end: null }, { next: "unknown" }],
    [
      "one of it, and discounts that are not told",
      { discounts: null, items: { data: [{ price: trial.items.data[0]?.price }] } },
      charge,
    ],
    ["three of it", { items: { data: [{ ...trial.items.data[0], quantity: 3 }] } }, { next: "charge", cents: 150_000 }],
    ["the card removed", without, end("no-card")],
    ["the card removed, and an invoice by mail wanted then", { ...without, trial_settings: null }, { next: "unknown" }],
    ["no collection", { pause_collection: { behavior: "void" } }, { next: "unknown" }],
    ["an invoice by mail", { collection_method: "send_invoice" }, { next: "unknown" }],
  ])("%s [T3]", async (_, changed, trialEndOutcome) => {
    const billing = await answering({ ...trial, ...changed }).findBilling("sub_1");
    const trialEnd = "trial_end" in changed ? null : new Date(END * 1000);
    expect(billing).toMatchObject({ isTrialing: true, isInvoiced: false, trialEndOutcome, trialEnd });
  });

  test("the card is that of the subscription, else that of its customer", async () => {
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
    ["that of the product", [STANDARD], "STANDARD"],
    ["those of both products", [STANDARD, { id: "prod_2", name: "More seats" }], "STANDARD, More seats"],
    ["none where the product was deleted", [{ id: "prod_1", deleted: true }], null],
  ])("the plan's name is %s [T3]", async (_, products, plan) => {
    const items = { data: products.map((product) => ({ price: { currency: "usd", product, unit_amount: 50_000 } })) };
    expect(await answering({ ...trial, items }).findBilling("sub_1")).toMatchObject({ plan });
  });

  test("an invoice that is not empty was made [T4]", async () => {
    const payments = answering({ ...trial, latest_invoice: { amount_due: 50_000 } });
    expect(await payments.findBilling("sub_1")).toMatchObject({ isInvoiced: true });
  });
});
