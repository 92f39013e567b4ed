import { expect, test } from "vitest";
import { packagesIn, reconcilePrices } from "../../../functions/subscription-api/plans/packages";
import { databaseInMemory } from "../../support/api-in-process/database";
import { signUpsInProcess } from "../../support/api-in-process/sign-ups";
import { answer } from "../../support/api-in-process/stripe-model";

test("packages are listed cheapest first, and found by their id", async () => {
  const packages = packagesIn(databaseInMemory().db);
  const all = await packages.all();
  expect(all.length).toBeGreaterThan(1);
  expect(all.map(({ price_cents }) => price_cents)).toEqual(
    all.map(({ price_cents }) => price_cents).sort((a, b) => a - b),
  );
  for (const one of all) expect(await packages.find(one.id)).toEqual(one);
  expect(await packages.find("another")).toBeNull();
});

test("each package has its own price, found or created at Stripe", async () => {
  const { services, instead, sent } = signUpsInProcess();
  const before = await services.packages.all();
  const price = { currency: "usd", product: "prod_1", recurring: { interval: "month", interval_count: 1 } };
  const known = { ...price, id: "price_known", unit_amount: before[0]?.price_cents };
  let listed = 0;
  let made = 0;
  instead.set("GET prices", () => {
    listed += 1;
    return answer(200, { data: listed === 1 ? [known] : [] });
  });
  instead.set("POST products", answer(200, { id: "prod_2" }));
  instead.set("POST prices", () => {
    made += 1;
    return answer(200, { ...price, id: `price_made${made}` });
  });
  const ids = before.map((_, n) => (n === 0 ? "price_known" : `price_made${n}`));
  expect(await reconcilePrices(services)).toEqual(
    before.map(({ id, name }, n) => ({ id, name, stripePriceId: ids[n], created: n > 0 })),
  );
  expect((await services.packages.all()).map(({ stripe_price_id }) => stripe_price_id)).toEqual(ids);
  const created = sent.filter(({ call }) => call === "POST prices");
  expect(created.map(({ params }) => [params.lookup_key, params.unit_amount])).toEqual(
    before.slice(1).map(({ id, price_cents }) => [id, String(price_cents)]),
  );
});
