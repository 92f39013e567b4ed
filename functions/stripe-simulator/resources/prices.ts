import type Stripe from "stripe";
import * as z from "zod";
import { existing, listing, type Operation, operation, retrieval } from "../api/operation";
import { flag, hash, integer, list, metadata, optionalText, type Readers, text } from "../api/parameters";
import { merge, newId, nulls, type Price, type Product, previousAttributes } from "../store/objects";
import type { Store } from "../store/store";

/** In cents: https://docs.stripe.com/currencies#minimum-and-maximum-charge-amounts */
const MAX_AMOUNT = 99_999_999;

const createPrice = {
  currency: z.literal("usd"),
  lookup_key: text,
  product: text,
  recurring: hash({ interval: z.enum(["month", "year"]) }),
  transfer_lookup_key: z.literal("true").transform(() => true),
  unit_amount: integer.pipe(z.number().max(MAX_AMOUNT)),
} satisfies Readers<Stripe.PriceCreateParams>;

const listed = {
  active: flag.optional(),
  lookup_keys: list(text).optional(),
} satisfies Readers<Stripe.PriceListParams>;

export const prices: Operation[] = [
  operation(
    "POST /v1/products",
    { name: text, metadata: metadata.optional() } satisfies Readers<Stripe.ProductCreateParams>,
    ({ name, metadata = {} }, { store, now, emit }) => {
      const product = productOf(newId("prod", 14), name, now);
      return emit("product.created", store.save("Product", { ...product, metadata }));
    },
  ),

  operation(
    "POST /v1/products/:id",
    { active: flag.optional(), name: optionalText } satisfies Readers<Stripe.ProductUpdateParams>,
    (given, { store, id }) => store.save("Product", merge(existing("Product", id, store), given)),
  ),

  retrieval("/v1/products/:id", "Product"),
  retrieval("/v1/prices/:id", "Price"),
  listing("/v1/prices", "Price", listed, (price, { active = price.active, lookup_keys = [price.lookup_key] }) => {
    return price.active === active && lookup_keys.includes(price.lookup_key);
  }),

  operation("POST /v1/prices", createPrice, (given, { store, now, emit }) => {
    const { currency, product, unit_amount, lookup_key, recurring } = given;
    existing("Product", product, store, "product");
    const holder = store.list("Price").find((one) => one.lookup_key === lookup_key);
    if (holder) store.save("Price", { ...holder, lookup_key: null });
    const price = priceOf(newId("price"), product, unit_amount, recurring.interval, now);
    return emit("price.created", store.save("Price", { ...price, currency, lookup_key }));
  }),

  operation(
    "POST /v1/prices/:id",
    { active: flag } satisfies Readers<Stripe.PriceUpdateParams>,
    ({ active }, { store, id, emit }) => {
      const known = existing("Price", id, store);
      const price = store.save("Price", { ...known, active });
      return emit("price.updated", price, previousAttributes(known, price));
    },
  ),
];

/** In cents, as in the first migration, which stays the same when the plans' prices change. */
const PLACEHOLDERS = { mini: 10_000, lite: 20_000, standard: 50_000 };

export function savePlaceholderPrices(store: Store, now: number): void {
  for (const [name, cents] of Object.entries(PLACEHOLDERS)) {
    if (store.find("Product", `prod_${name}`)) continue;
    store.save("Product", productOf(`prod_${name}`, name.toUpperCase(), now));
    store.save("Price", priceOf(`price_${name}`, `prod_${name}`, cents, "month", now));
  }
}

function productOf(id: string, name: string, now: number): Product {
  return {
    ...nulls("default_price", "description", "package_dimensions", "shippable", "statement_descriptor", "tax_code"),
    ...nulls("tax_details", "unit_label", "url"),
    ...{ id, object: "product", name, active: true, created: now, updated: now, livemode: false, metadata: {} },
    ...{ images: [], marketing_features: [], type: "service" },
  };
}

function priceOf(id: string, product: string, cents: number, interval: "month" | "year", created: number): Price {
  return {
    ...nulls("custom_unit_amount", "lookup_key", "nickname", "tiers_mode", "transform_quantity"),
    ...{ id, object: "price", active: true, billing_scheme: "per_unit", created, currency: "usd", livemode: false },
    ...{ metadata: {}, product, tax_behavior: "unspecified", type: "recurring", unit_amount: cents },
    recurring: { ...nulls("meter", "trial_period_days"), interval, interval_count: 1, usage_type: "licensed" },
    unit_amount_decimal: String(cents),
  };
}
