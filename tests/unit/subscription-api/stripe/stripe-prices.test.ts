import { describe, expect, test } from "vitest";
import { signUpsInProcess, stripeThatAnswers } from "../../../support/api-in-process/sign-ups";
import { answer } from "../../../support/api-in-process/stripe-model";

describe("the Stripe price of a package", () => {
  const item = { id: "a-package", name: "MINI", price_cents: 10_000 };
  const monthly = {
    id: "price_1",
    currency: "usd",
    product: "prod_1",
    recurring: { interval: "month", interval_count: 1 },
    unit_amount: 10_000,
  };

  test.each<[string, object, boolean]>([
    ["has its amount each month", {}, true],
    ["is not one of another amount", { unit_amount: 10_001 }, false],
    ["is not one in euros", { currency: "eur" }, false],
    ["is not one for a year", { recurring: { interval: "year", interval_count: 1 } }, false],
    ["is not one for two months", { recurring: { interval: "month", interval_count: 2 } }, false],
    ["is not a one-time price", { recurring: null }, false],
  ])("%s [T7]", async (_, change, isIt) => {
    const { prices, sent } = stripeThatAnswers({ data: [{ ...monthly, ...change }] });
    const found = { id: "price_1", product: "prod_1", created: false };
    expect(await prices.find(item)).toEqual(isIt ? found : undefined);
    expect(sent[0]?.params).toEqual({ "lookup_keys[0]": "a-package", active: "true", limit: "1" });
  });

  test.each<[string, object[], string[]]>([
    ["with a product", [], ["GET prices", "POST products", "POST prices"]],
    ["for the existing product", [{ ...monthly, unit_amount: 1 }], ["GET prices", "POST prices"]],
  ])("is created %s if none exists, and takes over the lookup key [T7]", async (_, data, expected) => {
    const { services, instead, calls, sent } = signUpsInProcess();
    instead.set("GET prices", answer(200, { data }));
    instead.set("POST products", answer(200, { id: "prod_1" }));
    instead.set("POST prices", answer(200, monthly));
    expect(await services.prices.findOrCreate(item)).toEqual({ id: "price_1", product: "prod_1", created: true });
    expect(calls).toEqual(expected);
    expect(sent.at(-1)?.params).toEqual({
      currency: "usd",
      lookup_key: "a-package",
      product: "prod_1",
      "recurring[interval]": "month",
      transfer_lookup_key: "true",
      unit_amount: "10000",
    });
    if (data.length === 0) expect(sent[1]?.params).toEqual({ name: "MINI", "metadata[package_id]": "a-package" });
  });
});
