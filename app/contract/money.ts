// Amounts are whole US cents. No `Intl`: its first use takes 100 ms on a phone, while the form hydrates.

/** Stripe's largest amount has eight digits: https://docs.stripe.com/api/prices/create#create_price-unit_amount */
export const MAX_CENTS = 99_999_999;

export function isPrice(cents: number): boolean {
  return Number.isInteger(cents) && cents >= 1 && cents <= MAX_CENTS;
}

/** For pages: `$100`, `$99.50`, `$1,250`. */
export function shortAmount(cents: number): string {
  return amountWithCents(cents).replace(/\.00$/, "");
}

export function monthlyPrice(cents: number): string {
  return `${shortAmount(cents)} ${A_MONTH}`;
}

export const A_MONTH = "a month";

/** For charges: `$100.00 USD`, `$1,250.50 USD`. */
export function chargedAmount(cents: number): string {
  return `${amountWithCents(cents)} USD`;
}

/** For formats that need a decimal number, such as JSON-LD: 9950 cents are 99.5. */
export function inDollars(cents: number): number {
  return cents / 100;
}

/** For a list of charges: `$100.00`. @param cents whole US cents */
export function amountWithCents(cents: number): string {
  const digits = String(cents).padStart(3, "0");
  const dollars = digits.slice(0, -2).replace(/\B(?=(\d{3})+$)/g, ",");
  return `$${dollars}.${digits.slice(-2)}`;
}
