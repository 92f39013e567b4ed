import { MONTHLY_PRICES } from "../../../app/contract/plan-prices";
import type { Given, Price } from "./objects";

/** The prices of the API's first migration, which knows no account of Stripe's. */
export const PLACEHOLDER_PRICES = Object.entries(MONTHLY_PRICES).map(([name, dollars]) =>
  monthlyPrice({ id: `price_${name.toLowerCase()}`, created: 0, product: "prod_citewell", unit_amount: dollars * 100 }),
);

type Own = Pick<Price, "id" | "created" | "product"> & { unit_amount: number } & Partial<
    Pick<Price, "currency" | "lookup_key" | "metadata" | "nickname">
  >;

/** A price for each unit and month. */
export function monthlyPrice(own: Own): Given<Price> {
  return {
    object: "price",
    active: true,
    billing_scheme: "per_unit",
    currency: "usd",
    livemode: false,
    metadata: {},
    recurring: { interval: "month", interval_count: 1, usage_type: "licensed" },
    tax_behavior: "unspecified",
    type: "recurring",
    unit_amount_decimal: String(own.unit_amount),
    ...own,
  };
}
