import * as z from "zod";
import type { Database } from "./database";
import type { ChargedPrice, Prices } from "./stripe/prices";

/** A plan as the API sells it: from the pricing page, or a custom one. */
export type Package = z.output<typeof packageRow>;

export const packageRow = z.object({
  id: z.string(),
  name: z.string(),
  price_cents: z.number(),
  stripe_price_id: z.string(),
  /** `custom` is sold by its link alone, `retired` no longer. */
  status: z.enum(["listed", "custom", "retired"]),
});

export type Packages = ReturnType<typeof packagesIn>;

/** Every method throws D1's errors. */
export function packagesIn(db: Database) {
  return {
    async find(id: string): Promise<Package | null> {
      return packageRow.nullable().parse(await db.prepare("SELECT * FROM packages WHERE id = ?").bind(id).first());
    },

    async all(): Promise<Package[]> {
      return z.array(packageRow).parse((await db.prepare("SELECT * FROM packages ORDER BY price_cents").all()).results);
    },

    /** Adds or replaces packages and retires others, all or none, so that no new amount has Stripe's old price. */
    async record(packages: Package[], retired: string[] = []): Promise<void> {
      const json = JSON.stringify(packages);
      await db.batch({
        // SQLite checks UNIQUE row by row, so two packages that swap their prices would violate it.
        free: db
          .prepare("UPDATE packages SET stripe_price_id = id WHERE id IN (SELECT value ->> 'id' FROM json_each(?))")
          .bind(json),
        record: db
          .prepare(
            `INSERT INTO packages (id, name, price_cents, stripe_price_id, status)
             SELECT value ->> 'id', value ->> 'name', value ->> 'price_cents', value ->> 'stripe_price_id', value ->> 'status'
               FROM json_each(?) WHERE TRUE
             ON CONFLICT (id) DO UPDATE SET
               name = excluded.name, price_cents = excluded.price_cents, stripe_price_id = excluded.stripe_price_id,
               status = excluded.status`,
          )
          .bind(json),
        retire: db
          .prepare("UPDATE packages SET status = 'retired' WHERE id IN (SELECT value FROM json_each(?))")
          .bind(JSON.stringify(retired)),
      });
    },
  };
}

export type CatalogServices = { packages: Packages; prices: Prices };

export type CatalogPrice = Package & { created: boolean };

/** `packages` are added or changed, and the packages with the IDs `retired` are no longer sold. */
export type CatalogChange = {
  packages?: Omit<Package, "stripe_price_id">[] | undefined;
  retired?: string[] | undefined;
};

/** Without a change, each package that is sold keeps its name, amount and status. Returns the whole catalog. */
export async function reconcileCatalog(
  { packages, prices }: CatalogServices,
  { packages: wanted, retired }: CatalogChange = {},
): Promise<CatalogPrice[]> {
  const changed = wanted ?? (retired ? [] : (await packages.all()).filter(isSold));
  const reconciled: Package[] = [];
  const createdIds: string[] = [];
  for (const { id, name, price_cents, status } of changed) {
    const { id: stripe_price_id, created } = await prices.findOrCreate({ id, name, price_cents });
    reconciled.push({ id, name, price_cents, stripe_price_id, status });
    if (created) createdIds.push(id);
  }
  await packages.record(reconciled, retired);
  return (await packages.all()).map((one) => ({ ...one, created: createdIds.includes(one.id) }));
}

export function isSold({ status }: Pick<Package, "status">): boolean {
  return status !== "retired";
}

export type PackageAtStripe = Package & { at_stripe: ChargedPrice | null };

/** Each package with the Stripe price that its sign-ups get; null if Stripe has no such price. */
export async function packagesAtStripe({ packages, prices }: CatalogServices): Promise<PackageAtStripe[]> {
  const found: PackageAtStripe[] = [];
  for (const one of await packages.all()) found.push({ ...one, at_stripe: await prices.read(one.stripe_price_id) });
  return found;
}
