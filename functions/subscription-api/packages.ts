import * as z from "zod";
import type { Database } from "./database";
import type { Prices } from "./stripe/prices";

export type Package = z.output<typeof row>;

const row = z.object({
  id: z.string(),
  name: z.string(),
  /** US cents a month. */
  price_cents: z.number(),
  stripe_price_id: z.string(),
});

const rowOrNull = row.nullable();

export type Packages = ReturnType<typeof packagesIn>;

export function packagesIn(db: Database) {
  return {
    async find(id: string): Promise<Package | null> {
      return rowOrNull.parse(await db.prepare("SELECT * FROM packages WHERE id = ?").bind(id).first());
    },

    async all(): Promise<Package[]> {
      return z.array(row).parse((await db.prepare("SELECT * FROM packages ORDER BY price_cents").all()).results);
    },

    async recordPrice(id: string, stripePriceId: string): Promise<void> {
      await db.prepare("UPDATE packages SET stripe_price_id = ? WHERE id = ?").bind(stripePriceId, id).run();
    },
  };
}

export type CatalogServices = { packages: Packages; prices: Prices };

export type CatalogPrice = { id: string; name: string; stripePriceId: string; created: boolean };

/** Finds or creates each package's price at Stripe. Repeat after a change of account, mode or price. */
export async function reconcilePrices({ packages, prices }: CatalogServices): Promise<CatalogPrice[]> {
  const reconciled: CatalogPrice[] = [];
  for (const { id, name, price_cents } of await packages.all()) {
    const { id: stripePriceId, created } = await prices.findOrCreate({ id, name, price_cents });
    await packages.recordPrice(id, stripePriceId);
    reconciled.push({ id, name, stripePriceId, created });
  }
  return reconciled;
}
