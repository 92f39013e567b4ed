import type { Payments } from "../stripe/payments";
import type { Packages } from "./packages";

/** A package and its price at Stripe after a reconciliation. */
export type CataloguePrice = { id: string; name: string; stripePriceId: string; made: boolean };

/**
 * Gives each package of the catalogue its monthly price in the Stripe account that the Worker's key belongs to. What is
 * there already is found again, so that it can be repeated, and must be after a change of account, mode or price.
 * @throws PaymentsError, and what D1 throws
 */
export async function reconcileCatalogue({
  packages,
  payments,
}: {
  packages: Packages;
  payments: Payments;
}): Promise<CataloguePrice[]> {
  const reconciled: CataloguePrice[] = [];
  for (const item of await packages.all()) {
    const { id: stripePriceId, made } = await payments.findOrCreatePrice(item);
    await packages.recordPrice(item.id, stripePriceId);
    reconciled.push({ id: item.id, name: item.name, stripePriceId, made });
  }
  return reconciled;
}
