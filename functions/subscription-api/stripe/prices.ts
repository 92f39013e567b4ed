import type Stripe from "stripe";
import * as z from "zod";
import { call } from "./client";

const id = z.string().min(1);
const product = z.object({ id });
const price = z.object({
  id,
  currency: z.string(),
  product: z.union([id, product.transform(({ id }) => id)]).nullish(),
  recurring: z.object({ interval: z.string(), interval_count: z.number() }).nullish(),
  unit_amount: z.number().nullish(),
});
const priceList = z.object({ data: z.array(price) });

export type PackagePrice = { id: string; created: boolean };

export type Prices = ReturnType<typeof stripePrices>;

export function stripePrices(stripe: Stripe) {
  return {
    /**
     * Found by the package id as its lookup key. A price of another amount, currency or interval is replaced by a new
     * one of the same product.
     */
    async findOrCreate(item: { id: string; name: string; price_cents: number }): Promise<PackagePrice> {
      const { id, name, price_cents } = item;
      const found = await call(priceList, () => stripe.prices.list({ lookup_keys: [id], active: true, limit: 1 }));
      const [known] = found.data;
      if (known && isMonthly(known) && known.currency === "usd" && known.unit_amount === price_cents) {
        return { id: known.id, created: false };
      }
      const productId =
        known?.product ??
        (await call(product, () => stripe.products.create({ name, metadata: { package_id: id } }))).id;
      const created = await call(price, () =>
        stripe.prices.create({
          currency: "usd",
          lookup_key: id,
          product: productId,
          recurring: { interval: "month" },
          transfer_lookup_key: true,
          unit_amount: price_cents,
        }),
      );
      return { id: created.id, created: true };
    },
  };
}

function isMonthly({ recurring }: z.output<typeof price>): boolean {
  return recurring?.interval === "month" && recurring.interval_count === 1;
}
