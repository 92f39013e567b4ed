export function phoneDigits(value: string): string {
  return value.replace(/\D/g, "");
}

/** Takes digits only; numbers from outside North America pass (docs/requirements.md, V8). */
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

/** Formats a number, complete or not (docs/requirements.md, V9); a leading `+` means that a country code follows. */
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
  const groups = digits.slice(code.length).match(/\d{3}(?=\d{3})|\d+/g) ?? [];
  return [`+${code}`, ...groups].join(" ");
}
