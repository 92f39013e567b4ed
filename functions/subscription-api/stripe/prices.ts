import type Stripe from "stripe";
import * as z from "zod";
import { call } from "./client";

const product = z.object({ id: z.string().min(1) });
const price = z.object({ id: z.string().min(1), currency: z.string(), unit_amount: z.number().nullable() });
const priceList = z.object({ data: z.array(price) });

export type PackagePrice = { id: string; created: boolean };

export type Prices = ReturnType<typeof stripePrices>;

export function stripePrices(stripe: Stripe) {
  return {
    /** Found by the package id as its lookup key. A price whose amount has changed is replaced. */
    async findOrCreate(item: { id: string; name: string; price_cents: number }): Promise<PackagePrice> {
      const { id, name, price_cents } = item;
      const found = await call(priceList, () => stripe.prices.list({ lookup_keys: [id], active: true, limit: 1 }));
      const [known] = found.data;
      if (known && known.currency === "usd" && known.unit_amount === price_cents) {
        return { id: known.id, created: false };
      }
      const { id: productId } = await call(product, () =>
        stripe.products.create({ name, metadata: { package_id: id } }),
      );
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
