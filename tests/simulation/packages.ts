import { PAID_PLANS } from "../../app/contract/plans";

type Package = { id: string; name: string; cents: number; price: string };

const [mini, lite, standard] = PAID_PLANS;
/** The packages of the first migration, and their prices at Stripe. */
export const PACKAGES: readonly [Package, ...Package[]] = [
  { id: mini.packageId, name: "MINI", cents: 10_000, price: "price_mini" },
  { id: lite.packageId, name: "LITE", cents: 20_000, price: "price_lite" },
  { id: standard.packageId, name: "STANDARD", cents: 50_000, price: "price_standard" },
];
/** A plan that is sold by its link alone. It is in the database from the beginning. */
export const CUSTOM: Package = {
  id: "11111111-2222-4333-8444-555555555555",
  name: "TEAM",
  cents: 77_700,
  price: "price_team",
};
