/*
 * Amounts are whole US cents everywhere, and become text only here. No `Intl`: its first use takes 100 ms on a phone, while the form
 * hydrates.
 */

/** Stripe's largest amount has eight digits: https://docs.stripe.com/api/prices/create#create_price-unit_amount */
export const MAX_CENTS = 99_999_999;

/** True for a price that Stripe can charge: whole cents, from 1 to `MAX_CENTS`. */
export function isPrice(cents: number): boolean {
  return Number.isInteger(cents) && cents >= 1 && cents <= MAX_CENTS;
}

/** For pages, without the cents if there are none: `$100`, `$99.50`, `$1,250`. @param cents whole US cents */
export function shortAmount(cents: number): string {
  return fullAmount(cents).replace(/\.00$/, "");
}

/** For example `$100 a month`. @param cents whole US cents */
export function monthlyPrice(cents: number): string {
  return `${shortAmount(cents)} ${A_MONTH}`;
}

export const A_MONTH = "a month";

/** For charges, with the currency: `$100.00 USD`, `$1,250.50 USD`. @param cents whole US cents */
export function chargedAmount(cents: number): string {
  return `${fullAmount(cents)} USD`;
}

/** For formats that need a decimal number, such as JSON-LD: 9950 cents are 99.5. */
export function inDollars(cents: number): number {
  return cents / 100;
}

function fullAmount(cents: number): string {
  const digits = String(cents).padStart(3, "0");
  const dollars = digits.slice(0, -2).replace(/\B(?=(\d{3})+$)/g, ",");
  return `$${dollars}.${digits.slice(-2)}`;
}
