/** Keeps the digits only (docs/requirements.md, V9). */
export function phoneDigits(value: string): string {
  return value.replace(/\D/g, "");
}

/** Checks digits only; numbers outside North America pass (docs/requirements.md, V8). */
export function isPlausibleNanpNumber(digits: string): boolean {
  const national = nanpNationalNumber(digits);
  return national === undefined || /^[2-9]\d{2}[2-9]/.test(national);
}

function nanpNationalNumber(digits: string): string | undefined {
  if (digits.length === 10) return digits;
  if (digits.length === 11 && digits.startsWith("1")) return digits.slice(1);
  return undefined;
}

const COUNTRY_CODE = /^(?:[17]|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|\d{3})/; // ITU-T E.164

/**
 * Formats a complete or partial number and keeps every digit (docs/requirements.md, V9 and V14). Below ten digits, a leading
 * `+` announces a country code; from ten on, only the digits decide, as in validation.
 */
export function formatPhone(value: string): string {
  const digits = phoneDigits(value);
  if (digits.length <= 10) {
    const hasCountryCode = digits.length < 10 && value.trimStart().startsWith("+") && !digits.startsWith("0");
    return hasCountryCode ? withCountryCode(digits) : nanp(digits);
  }
  // No country code begins with 0.
  return digits.startsWith("0") ? digits : withCountryCode(digits);
}

function nanp(digits: string): string {
  if (digits.length <= 3) return digits;
  if (digits.length <= 6) return `(${digits.slice(0, 3)}) ${digits.slice(3)}`;
  return `(${digits.slice(0, 3)}) ${digits.slice(3, 6)}-${digits.slice(6)}`;
}

function withCountryCode(digits: string): string {
  if (digits.startsWith("1") && digits.length <= 11) return `+1 ${nanp(digits.slice(1))}`.trimEnd();
  const code = COUNTRY_CODE.exec(digits)?.[0] ?? digits;
  const groups = digits.slice(code.length).match(/\d{3}(?=\d{3})|\d+/g) ?? [];
  return [`+${code}`, ...groups].join(" ");
}
