import * as z from "zod";
import type { Database } from "./database";
import type { ChargedPrice, Prices } from "./stripe/prices";

/** A plan from the pricing page, as the API sells it. */
export type Package = z.output<typeof row>;

/** A package's price when a form is accepted. */
export type AgreedPrice = Pick<Package, "price_cents" | "stripe_price_id">;

const row = z.object({
  id: z.string(),
  name: z.string(),
  /** US cents a month. */
  price_cents: z.number(),
  stripe_price_id: z.string(),
});

const rowOrNull = row.nullable();

export type Packages = ReturnType<typeof packagesIn>;

/** Every method throws D1's errors. */
export function packagesIn(db: Database) {
  return {
    async find(id: string): Promise<Package | null> {
      return rowOrNull.parse(await db.prepare("SELECT * FROM packages WHERE id = ?").bind(id).first());
    },

    async all(): Promise<Package[]> {
      return z.array(row).parse((await db.prepare("SELECT * FROM packages ORDER BY price_cents").all()).results);
    },

    /** Adds or replaces packages, all or none, so that nobody reads a new amount with Stripe's old price. */
    async record(packages: Package[]): Promise<void> {
      const json = JSON.stringify(packages);
      await db.batch({
        // SQLite checks UNIQUE row by row, so two packages that swap their prices would violate it.
        free: db
          .prepare("UPDATE packages SET stripe_price_id = id WHERE id IN (SELECT value ->> 'id' FROM json_each(?))")
          .bind(json),
        record: db
          .prepare(
            `INSERT INTO packages (id, name, price_cents, stripe_price_id)
             SELECT value ->> 'id', value ->> 'name', value ->> 'price_cents', value ->> 'stripe_price_id'
               FROM json_each(?) WHERE TRUE
             ON CONFLICT (id) DO UPDATE SET
               name = excluded.name, price_cents = excluded.price_cents, stripe_price_id = excluded.stripe_price_id`,
          )
          .bind(json),
      });
    },
  };
}

export type CatalogServices = { packages: Packages; prices: Prices };

export type CatalogPrice = Package & { created: boolean };

/**
 * Finds or creates each package's price at Stripe, then records them together.
 * @param wanted packages to add or change; without it, each package keeps its name and amount
 */
export async function reconcileCatalog(
  { packages, prices }: CatalogServices,
  wanted?: Omit<Package, "stripe_price_id">[],
): Promise<CatalogPrice[]> {
  const reconciled: CatalogPrice[] = [];
  for (const { id, name, price_cents } of wanted ?? (await packages.all())) {
    const { id: stripe_price_id, created } = await prices.findOrCreate({ id, name, price_cents });
    reconciled.push({ id, name, price_cents, stripe_price_id, created });
  }
  await packages.record(reconciled);
  return reconciled;
}

export type PackageAtStripe = Package & { at_stripe: ChargedPrice | null };

/** Each package with the Stripe price that its sign-ups get; null if Stripe has no such price. */
export async function packagesAtStripe({ packages, prices }: CatalogServices): Promise<PackageAtStripe[]> {
  const found: PackageAtStripe[] = [];
  for (const one of await packages.all()) found.push({ ...one, at_stripe: await prices.read(one.stripe_price_id) });
  return found;
}
