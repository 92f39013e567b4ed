import type Stripe from "stripe";
import * as z from "zod";
import { call } from "./client";

const id = z.string().min(1);
const product = z.object({ id });
const price = z.object({
  id,
  currency: z.string(),
  product: z.union([id, product.transform(({ id }) => id)]),
  recurring: z.object({ interval: z.string(), interval_count: z.number() }).nullish(),
  unit_amount: z.number().nullish(),
});
const priceList = z.object({ data: z.array(price) });

export type Item = { id: string; name: string; price_cents: number };

export type PackagePrice = { id: string; product: string; created: boolean };

export type Prices = ReturnType<typeof stripePrices>;

/** @param ask makes a call and parses its answer; `call` also logs its failures */
export function stripePrices(stripe: Stripe, ask: typeof call = call) {
  async function latest(packageId: string): Promise<z.output<typeof price> | undefined> {
    const wanted = { lookup_keys: [packageId], active: true, limit: 1 };
    return (await ask(priceList, () => stripe.prices.list(wanted))).data[0];
  }

  return {
    /** Finds a price by its lookup key, the package id. */
    async find(item: Item): Promise<PackagePrice | undefined> {
      const known = await latest(item.id);
      return known && isPriceOf(item, known) ? { id: known.id, product: known.product, created: false } : undefined;
    },

    /** Replaces a price of another amount, currency or interval with a new price of the same product. */
    async findOrCreate(item: Item): Promise<PackagePrice> {
      const { id, name, price_cents } = item;
      const known = await latest(id);
      if (known && isPriceOf(item, known)) return { id: known.id, product: known.product, created: false };
      const productId =
        known?.product ?? (await ask(product, () => stripe.products.create({ name, metadata: { package_id: id } }))).id;
      const created = await ask(price, () =>
        stripe.prices.create({
          currency: "usd",
          lookup_key: id,
          product: productId,
          recurring: { interval: "month" },
          transfer_lookup_key: true,
          unit_amount: price_cents,
        }),
      );
      return { id: created.id, product: productId, created: true };
    },
  };
}

function isPriceOf(item: Item, { currency, recurring, unit_amount }: z.output<typeof price>): boolean {
  const isMonthly = recurring?.interval === "month" && recurring.interval_count === 1;
  return isMonthly && currency === "usd" && unit_amount === item.price_cents;
}
