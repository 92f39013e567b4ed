import type { Prices } from "../stripe/plan-prices";
import type { Packages } from "./packages";

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
