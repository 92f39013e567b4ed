import { isCardNumber } from "../cards/cards";

export type FieldError = { code: string; message: string };

export function formatCardNumber(digits: string): string {
  return digits.match(/.{1,4}/g)?.join(" ") ?? "";
}

/** Up to four digits as a date: `12 / 34`; a first digit over 1 is a month of its own. */
export function formatExpiry(digits: string): string {
  const padded = /^[2-9]/.test(digits) ? `0${digits}` : digits;
  return padded.length > 2 ? `${padded.slice(0, 2)} / ${padded.slice(2, 4)}` : padded;
}

export function digitsOf(value: string): string {
  return value.replace(/\D/g, "");
}

export function expiryOf(value: string): { month: number; year: number } {
  const digits = digitsOf(value);
  return { month: Number(digits.slice(0, 2)), year: 2000 + Number(digits.slice(2, 4)) };
}

export function cardNumberError(value: string): FieldError | undefined {
  const digits = digitsOf(value);
  if (digits.length < (/^3[47]/.test(digits) ? 15 : 16)) {
    return { code: "incomplete_number", message: "Your card number is incomplete." };
  }
  return isCardNumber(digits) ? undefined : { code: "invalid_number", message: "Your card number is invalid." };
}

export function expiryError(value: string): FieldError | undefined {
  if (digitsOf(value).length < 4) {
    return { code: "incomplete_expiry", message: "Your card's expiration date is incomplete." };
  }
  const { month, year } = expiryOf(value);
  if (month < 1 || month > 12) {
    return { code: "invalid_expiry_month", message: "Your card's expiration date is invalid." };
  }
  if (new Date(year, month) > new Date()) return undefined;
  return { code: "invalid_expiry_month_past", message: "Your card's expiration date is in the past." };
}

export function cvcError(value: string): FieldError | undefined {
  if (digitsOf(value).length >= 3) return undefined;
  return { code: "incomplete_cvc", message: "Your card's security code is incomplete." };
}

export function postalCodeError(value: string, country: string): FieldError | undefined {
  const complete = country === "US" ? /^\d{5}(-?\d{4})?$/ : /^.{3,10}$/;
  if (complete.test(value.trim())) return undefined;
  return { code: "incomplete_zip", message: "Your postal code is incomplete." };
}
