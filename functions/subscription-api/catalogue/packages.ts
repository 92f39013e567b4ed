import type { D1Database } from "@cloudflare/workers-types";
import * as z from "zod";

export type Package = z.output<typeof row>;

const row = z.object({
  id: z.string(),
  name: z.string(),
  /** US cents, each month. */
  price_cents: z.number(),
  stripe_price_id: z.string(),
});

export type Packages = ReturnType<typeof packagesIn>;

/** The packages in D1, which the migrations insert. Every method throws what D1 throws. */
export function packagesIn(db: D1Database) {
  return {
    /** @param id a UUID in lower case */
    async find(id: string): Promise<Package | null> {
      return row.nullable().parse(await db.prepare("SELECT * FROM packages WHERE id = ?").bind(id).first());
    },

    /** All packages, the cheapest first. */
    async all(): Promise<Package[]> {
      return z.array(row).parse((await db.prepare("SELECT * FROM packages ORDER BY price_cents").all()).results);
    },

    async recordPrice(id: string, stripePriceId: string): Promise<void> {
      await db.prepare("UPDATE packages SET stripe_price_id = ? WHERE id = ?").bind(stripePriceId, id).run();
    },
  };
}

/** Whether an id comes from Stripe, not from the first migration's placeholders. */
export function isStripePriceId(id: string): boolean {
  return /^price_\w{14,}$/.test(id);
}
