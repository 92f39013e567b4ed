/** Stands in for Stripe Tax's rates. */
const TAX_RATE = 0.08;

/** What an invoice says about the rate. */
export const STANDARD_RATE = {
  tax_behavior: "exclusive",
  tax_rate_details: null,
  taxability_reason: "standard_rated",
} as const;

/** The tax on an amount. Both are in cents. */
export function taxOn(cents: number): number {
  return Math.round(cents * TAX_RATE);
}
