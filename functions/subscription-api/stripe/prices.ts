import type Stripe from "stripe";
import * as z from "zod";
import { call, ifExists } from "./client";

export type Item = { id: string; name: string; price_cents: number };

export type PackagePrice = { id: string; product: string; created: boolean };

export type ChargedPrice = z.output<typeof chargedPrice>;

/** The part of a price that decides what a customer is charged. */
export const chargedPrice = z.object({
  active: z.boolean(),
  currency: z.string(),
  unit_amount: z.number().nullable(),
  /** The interval, such as `1 month`. */
  recurring: z.string().nullable(),
});

export type Prices = ReturnType<typeof stripePrices>;

/** @param ask makes calls to Stripe; the default also logs failures */
export function stripePrices(stripe: Stripe, ask: typeof call = call) {
  async function latest(packageId: string): Promise<Stripe.Price | undefined> {
    return (await ask(() => stripe.prices.list({ lookup_keys: [packageId], active: true, limit: 1 }))).data[0];
  }

  return {
    /** The price with this ID, or null. */
    async read(id: string): Promise<ChargedPrice | null> {
      const price = await ifExists(() => ask(() => stripe.prices.retrieve(id)));
      if (!price) return null;
      const { active, currency, unit_amount, recurring } = price;
      const interval = recurring && `${recurring.interval_count} ${recurring.interval}`;
      return { active, currency, unit_amount, recurring: interval };
    },

    /** Finds a price by its lookup key, the package ID. Undefined if it is not the item's monthly price. */
    async find(item: Item): Promise<PackagePrice | undefined> {
      const known = await latest(item.id);
      return known && isPriceOf(item, known) ? { id: known.id, product: productOf(known), created: false } : undefined;
    },

    /** Replaces a price of another amount, currency or interval with a new price of the same product. */
    async findOrCreate(item: Item): Promise<PackagePrice> {
      const { id, name, price_cents } = item;
      const known = await latest(id);
      if (known && isPriceOf(item, known)) return { id: known.id, product: productOf(known), created: false };
      const product = known
        ? productOf(known)
        : (await ask(() => stripe.products.create({ name, metadata: { package_id: id } }))).id;
      const created = await ask(() =>
        stripe.prices.create({
          currency: "usd",
          lookup_key: id,
          product,
          recurring: { interval: "month" },
          transfer_lookup_key: true,
          unit_amount: price_cents,
        }),
      );
      return { id: created.id, product, created: true };
    },
  };
}

function productOf({ product }: Stripe.Price): string {
  return typeof product === "string" ? product : product.id;
}

function isPriceOf(item: Item, { currency, recurring, unit_amount }: Stripe.Price): boolean {
  const isMonthly = recurring?.interval === "month" && recurring.interval_count === 1;
  return isMonthly && currency === "usd" && unit_amount === item.price_cents;
}
