import * as z from "zod";
import type { Database } from "../database";

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

/** False for the placeholders in the first migration. */
export function isStripePriceId(id: string): boolean {
  return /^price_\w{14,}$/.test(id);
}
