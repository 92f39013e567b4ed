import type { D1Database } from "@cloudflare/workers-types";

/** The catalogue of what can be subscribed to. */
export type Packages = {
  /** @param id a UUID in lower case */
  has(id: string): Promise<boolean>;
};

/** The catalogue in D1, seeded by the migrations. */
export function packagesIn(db: D1Database): Packages {
  return {
    async has(id) {
      return (await db.prepare("SELECT 1 FROM packages WHERE id = ?").bind(id).first()) !== null;
    },
  };
}
