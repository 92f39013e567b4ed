/** Checks the length and the check digit (ISO/IEC 7812-1, Luhn). */
export function isCardNumber(digits: string): boolean {
  if (!/^\d{12,19}$/.test(digits)) return false;
  let sum = 0;
  for (const [index, digit] of [...digits].reverse().entries()) {
    const doubled = index % 2 === 0 ? Number(digit) : Number(digit) * 2;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

/** The names that Stripe uses: https://docs.stripe.com/api/payment_methods/object#payment_method_object-card-brand */
export function cardBrand(digits: string): string {
  if (digits.startsWith("4")) return "visa";
  if (/^(5[1-5]|2(22[1-9]|2[3-9]|[3-6]|7[01]|720))/.test(digits)) return "mastercard";
  if (/^3[47]/.test(digits)) return "amex";
  if (/^6(011|5|4[4-9])/.test(digits)) return "discover";
  if (/^3(0|6|8)/.test(digits)) return "diners";
  if (digits.startsWith("35")) return "jcb";
  if (digits.startsWith("62")) return "unionpay";
  return "unknown";
}

/** The wrong part of an expiration date. A card works until the end of its month. @param now milliseconds since 1970 */
export function wrongExpiry({ month, year }: { month: number; year: number }, now: number): "month" | "year" | null {
  if (month < 1 || month > 12) return "month";
  const whole = fullYear(year);
  const today = new Date(now);
  const isThisYear = whole === today.getUTCFullYear();
  if (isThisYear) return month <= today.getUTCMonth() ? "month" : null;
  return whole < today.getUTCFullYear() || whole > today.getUTCFullYear() + 50 ? "year" : null;
}

export function fullYear(year: number): number {
  return year < 100 ? 2000 + year : year;
}
