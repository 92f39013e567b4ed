/** The digits of what was typed, nothing else: the form in which a phone number is sent and stored. */
export function phoneDigits(value: string): string {
  return value.replace(/\D/g, "");
}

/**
 * The North American rule of the specification (section 5): for 10 digits, or 11 starting with 1, neither the first
 * nor the fourth digit of the national number is 0 or 1. Any other number passes.
 * @param digits digits only
 */
export function isPlausibleNanpNumber(digits: string): boolean {
  const national = nanpNationalNumber(digits);
  return national === undefined || /^[2-9]\d{2}[2-9]/.test(national);
}

function nanpNationalNumber(digits: string): string | undefined {
  if (digits.length === 10) return digits;
  if (digits.length === 11 && digits.startsWith("1")) return digits.slice(1);
  return undefined;
}

/** Country calling codes of one and two digits (ITU-T E.164); all others have three. */
const COUNTRY_CODE = /^(?:[17]|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|\d{3})/;

/**
 * A phone number for reading: `(212) 555-0123`, `+1 (212) 555-0123`, or with the country's prefix `+44 207 946 0958`.
 * Takes what was typed so far, complete or not; a leading `+` says that a country code follows.
 */
export function formatPhone(value: string): string {
  const digits = phoneDigits(value).slice(0, 15);
  if (digits === "") return value.trim().startsWith("+") ? "+" : "";
  const international = value.trim().startsWith("+");
  if (digits.startsWith("1") && (international || digits.length === 11)) {
    return digits.length <= 11 ? `+1 ${nanp(digits.slice(1))}`.trimEnd() : withCountryCode(digits);
  }
  if (international || digits.length > 10) return withCountryCode(digits);
  return nanp(digits);
}

function nanp(digits: string): string {
  if (digits.length <= 3) return digits;
  if (digits.length <= 6) return `(${digits.slice(0, 3)}) ${digits.slice(3)}`;
  return `(${digits.slice(0, 3)}) ${digits.slice(3, 6)}-${digits.slice(6, 10)}`;
}

function withCountryCode(digits: string): string {
  const code = COUNTRY_CODE.exec(digits)?.[0] ?? digits;
  // Groups of three, the last one of three or four digits.
  const groups = digits.slice(code.length).match(/\d{3}(?=\d{3})|\d+/g) ?? [];
  return [`+${code}`, ...groups].join(" ");
}
