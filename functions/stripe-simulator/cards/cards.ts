/** https://docs.stripe.com/testing */
const OUTCOMES: Record<string, CardOutcome> = {
  "4000000000000341": "charge-fails", // can be set up, but charges are declined
  "4000002500003155": "needs-authentication", // at setup, on a page of its own
  "4000002760003184": "always-needs-authentication", // at setup, in a dialog, and again for each charge
  "4000000000000002": "declined",
};

type CardOutcome = "succeeds" | "charge-fails" | "needs-authentication" | "always-needs-authentication" | "declined";

export function cardOutcome(number = ""): CardOutcome {
  return OUTCOMES[number] ?? "succeeds";
}

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

export function cardBrand(digits: string): string {
  if (digits.startsWith("4")) return "visa";
  if (/^(5[1-5]|2(22[1-9]|2[3-9]|[3-6]|7[01]|720))/.test(digits)) return "mastercard";
  if (/^3[47]/.test(digits)) return "amex";
  if (/^6(011|5|4[4-9])/.test(digits)) return "discover";
  return "unknown";
}
