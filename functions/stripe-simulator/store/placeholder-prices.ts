import { PAID_PLANS } from "../../../app/contract/plans";
import type { Part } from "../schema/stored";
import { make, type Price, type Product } from "./objects";

/** The prices of the API's first migration, which knows no account of Stripe's, each with its product. */
export const PLACEHOLDER_PRICES: [Price, Product][] = PAID_PLANS.map(({ title: name, monthlyPrice: dollars }) => {
  const product = make("Product", { id: `prod_${name.toLowerCase()}`, active: true, name, type: "service" });
  const price = { id: `price_${name.toLowerCase()}`, product: product.id, unit_amount: dollars * 100 };
  return [monthlyPrice(price), product];
});

export function monthlyPrice(own: Part<Price>): Price {
  return make("Price", {
    active: true,
    billing_scheme: "per_unit",
    currency: "usd",
    recurring: { interval: "month", interval_count: 1, usage_type: "licensed" },
    tax_behavior: "unspecified",
    type: "recurring",
    unit_amount_decimal: String(own.unit_amount),
    ...own,
  });
}
