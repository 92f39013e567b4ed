import { expect, test } from "vitest";
import { stopClock } from "../../../support/clock";
import { paymentsOf } from "./payments-of";

/* A package's price at Stripe: US dollars each month, found by its lookup key. */

stopClock();

const MINI = { id: "a-package", name: "MINI", price_cents: 10_000 };
const MONTHLY = { interval: "month", interval_count: 1 };
const PRICE = { id: "price_1", product: "prod_1", currency: "usd", unit_amount: 10_000, recurring: MONTHLY };

test("a package's price is asked for by the package's ID", async () => {
  const { prices, sent } = await paymentsOf({ everyAnswer: { data: [PRICE] } });
  expect(await prices.find(MINI)).toEqual({ id: "price_1", product: "prod_1", created: false });
  expect(sent.map(({ params }) => params)).toEqual([{ "lookup_keys[0]": "a-package", active: "true", limit: "1" }]);
});

test.each([
  { what: "another amount", change: { unit_amount: 10_001 } },
  { what: "another currency", change: { currency: "eur" } },
  { what: "a year's interval", change: { recurring: { ...MONTHLY, interval: "year" } } },
  { what: "two months' interval", change: { recurring: { ...MONTHLY, interval_count: 2 } } },
  { what: "one payment", change: { recurring: null } },
])("a price with $what is not the package's", async ({ change }) => {
  const { prices } = await paymentsOf({ everyAnswer: { data: [{ ...PRICE, ...change }] } });
  expect(await prices.find(MINI)).toBeUndefined();
});

test("a package without a price gets a product of its name", async () => {
  const { prices, sent } = await paymentsOf({ everyAnswer: { id: "made", data: [] } });
  expect(await prices.findOrCreate(MINI)).toEqual({ id: "made", product: "made", created: true });
  const product = sent.find(({ call }) => call === "POST products");
  expect(product?.params).toEqual({ name: "MINI", "metadata[package_id]": "a-package" });
});

test("a package without a price gets a monthly price in US dollars under its ID", async () => {
  const { prices, sent } = await paymentsOf({ everyAnswer: { id: "made", data: [] } });
  await prices.findOrCreate(MINI);
  expect(sent.find(({ call }) => call === "POST prices")?.params).toEqual({
    currency: "usd",
    unit_amount: "10000",
    "recurring[interval]": "month",
    product: "made",
    lookup_key: "a-package",
    transfer_lookup_key: "true",
  });
});
