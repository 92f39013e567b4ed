import { expect, test } from "vitest";
import { answer, refusal } from "../../../support/api-in-process/stripe-objects";
import { paymentsOf } from "./payments-of";

const MINI = { id: "a-package", name: "MINI", price_cents: 10_000 };
const MONTHLY = { interval: "month", interval_count: 1 };
const PRODUCT = { product: { id: "prod_1", name: "MINI" } };
const PRICE = { id: "price_1", active: true, currency: "usd", unit_amount: 10_000, recurring: MONTHLY, ...PRODUCT };
const FOUND = { id: "price_1", product: "prod_1", productName: "MINI", created: false };

test("a package's price is found by the package's ID; its product gets a renamed package's name", async () => {
  const { prices, sent } = await paymentsOf({ data: [PRICE] });
  expect(await prices.find(MINI)).toEqual(FOUND);
  expect(await prices.findOrCreate({ ...MINI, name: "PRO" })).toEqual({ ...FOUND, productName: "PRO" });
  const params = { "lookup_keys[0]": "a-package", limit: "1", "expand[0]": "data.product" };
  expect(sent).toMatchObject([
    { call: "GET prices", params },
    { call: "GET prices", params },
    { call: "POST products/prod_1", params: { name: "PRO" } },
  ]);
});

test.each([
  { what: "another amount", change: { unit_amount: 10_001 } },
  { what: "another currency", change: { currency: "eur" } },
  { what: "a year's interval", change: { recurring: { ...MONTHLY, interval: "year" } } },
  { what: "two months' interval", change: { recurring: { ...MONTHLY, interval_count: 2 } } },
  { what: "one payment", change: { recurring: null } },
  { what: "no new customers", change: { active: false } },
])("a price with $what is not the package's, and is replaced under a key of its own", async ({ change }) => {
  const { prices, answersNext, sent } = await paymentsOf({ data: [{ ...PRICE, ...change }] });
  expect(await prices.find(MINI)).toBeUndefined();
  answersNext("POST prices", answer(200, { id: "price_2" }));
  expect(await prices.findOrCreate(MINI)).toEqual({ ...FOUND, id: "price_2", created: true });
  expect(sent.at(-1)).toMatchObject({ key: "price-a-package-10000-price_1-0", params: { product: "prod_1" } });
});

test("a package without a price gets a product of its name and a monthly US dollar price under its ID", async () => {
  const { prices, sent } = await paymentsOf({ id: "made", name: "a-package", data: [] });
  const product = { name: "a-package", "metadata[package_id]": "a-package" };
  const price = { currency: "usd", unit_amount: "10000", "recurring[interval]": "month", product: "made" };
  const lookup = { lookup_key: "a-package", transfer_lookup_key: "true" };
  expect(await prices.findOrCreate(MINI)).toEqual({ id: "made", product: "made", productName: "MINI", created: true });
  expect(sent.slice(1)).toMatchObject([
    { call: "POST products", key: "product-a-package-0", params: product },
    { call: "POST products/made", params: { name: "MINI" } },
    { call: "POST prices", key: "price-a-package-10000-first-0", params: { ...price, ...lookup } },
  ]);
});

test("a creation whose refusal Stripe has saved is tried under the next key, after another look", async () => {
  const { prices, answersNext, sent } = await paymentsOf({ data: [{ ...PRICE, active: false }] });
  answersNext("POST prices", { ...refusal(400, ""), isReplayed: true }, answer(200, { id: "price_2" }));
  await prices.findOrCreate(MINI);
  expect(sent).toMatchObject([
    { call: "GET prices" },
    { call: "POST prices", key: "price-a-package-10000-price_1-0" },
    { call: "GET prices" },
    { call: "POST prices", key: "price-a-package-10000-price_1-1" },
  ]);
});
