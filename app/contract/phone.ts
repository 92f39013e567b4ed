/** What may follow the number: `x45`, `ext. 5`, `#5`. The e is that of `ext`, while it is still being typed. */
const EXTENSION = /^(\D*\d[^ex#]*)([ex#].*)$/is;

/** The exit codes of most countries, and of North America. They stand for the `+`. */
const EXIT_CODE = /^(?:00|011)+/;

/**
 * The digits of a number, without its extension and without an exit code (docs/requirements.md, V9 and V14). Ten digits are
 * a national number, whatever they begin with.
 */
export function phoneDigits(value: string): string {
  const digits = withoutExtension(value).number.replace(/\D/g, "");
  return digits.length === 10 ? digits : digits.replace(EXIT_CODE, "");
}

function withoutExtension(value: string): { number: string; extension: string } {
  const [, number = value, extension = ""] = EXTENSION.exec(value) ?? [];
  return { number, extension };
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

/**
 * Formats a number, complete or not (docs/requirements.md, V9); a leading `+` means that a country code follows. Keeps every
 * digit, and an extension as it was typed.
 */
export function formatPhone(value: string): string {
  const { number, extension } = withoutExtension(value);
  return `${formatNumber(number)} ${extension}`.trim();
}

function formatNumber(number: string): string {
  const typed = number.replace(/\D/g, "");
  const digits = phoneDigits(number);
  const international = number.trim().startsWith("+");
  // An exit code whose number is not complete yet.
  if (!international && typed.length <= 10 && EXIT_CODE.test(typed)) return typed;
  if (digits === "") return international ? "+" : typed;
  if (digits.startsWith("1") && (international || digits.length === 11)) {
    return digits.length <= 11 ? `+1 ${nanp(digits.slice(1))}`.trimEnd() : withCountryCode(digits);
  }
  if (international || typed.length > 10) return withCountryCode(digits);
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
