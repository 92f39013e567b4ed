import { expect, test } from "vitest";
import { isStripePriceId, packagesIn } from "../../../functions/subscription-api/catalogue/packages";
import { reconcilePrices } from "../../../functions/subscription-api/catalogue/reconcile-prices";
import { databaseInMemory } from "../../support/database/database-in-memory";
import { stripeThatAnswers } from "../../support/stripe/stripe-answers";

test.each([
  [true, "price_0123456789abcd"],
  [false, "price_mini"],
  [false, "price_0123456789abc"],
  [false, "a price_0123456789abcd"],
  [false, "price_0123456789abcd of a kind"],
])("whether it is a price of Stripe's own: %s for %s", (isOne, id) => {
  expect(isStripePriceId(id)).toBe(isOne);
});

test("the packages come with the cheapest first, and are found by their id", async () => {
  const packages = packagesIn(databaseInMemory().db);
  const all = await packages.all();
  expect(all.length).toBeGreaterThan(1);
  expect(all.map(({ price_cents }) => price_cents)).toEqual(
    all.map(({ price_cents }) => price_cents).sort((a, b) => a - b),
  );
  for (const one of all) expect(await packages.find(one.id)).toEqual(one);
  expect(await packages.find("another")).toBeNull();
});

test("each package has the price that Stripe has or makes, and no other package's [T7]", async () => {
  const packages = packagesIn(databaseInMemory().db);
  const before = await packages.all();
  const [known, ...others] = before;
  const price = { currency: "usd", product: "prod_1", recurring: { interval: "month", interval_count: 1 } };
  const made = others.map((_, n) => `price_made${n}`);
  const { prices, sent } = stripeThatAnswers(
    { data: [{ ...price, id: "price_known", unit_amount: known?.price_cents }] },
    ...made.flatMap((id) => [{ data: [] }, { id: "prod_2" }, { ...price, id }]),
  );
  const ids = ["price_known", ...made];
  expect(await reconcilePrices({ packages, prices })).toEqual(
    before.map(({ id, name }, n) => ({ id, name, stripePriceId: ids[n], created: n > 0 })),
  );
  expect((await packages.all()).map(({ stripe_price_id }) => stripe_price_id)).toEqual(ids);
  const created = sent.filter(({ call, params }) => call === "POST /v1/prices" && params.lookup_key !== undefined);
  expect(created.map(({ params }) => [params.lookup_key, params.unit_amount])).toEqual(
    others.map(({ id, price_cents }) => [id, String(price_cents)]),
  );
});
