import { asciiDigits } from "./clean-text";

/** The `+` of an international number, or one of the two prefixes that are dialed instead of it. */
const INTERNATIONAL = /^[^\d+]*(?:\+|(?:00|011)(?=\D*[1-9](?:\D*\d){9}))/;

/** An extension after a number: `ext. 45`, `x45`, `;ext=45`, `#45`. */
const EXTENSION = /(\d)\D*[x;#].*$/is;

/** A number and nothing else: digits, spaces, dashes, `+().` and the invisible marks around copied numbers. */
const NUMBER = /^[\s\p{Cf}\p{Pd}\d+().]*$/u;

const COUNTRY_CODE = /^(?:[17]|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|\d{3})/; // ITU-T E.164

/** The digits of a typed number, without an extension; an international number starts with its country code. Idempotent. */
// Ten digits alone mean a North American number, so an international number with ten digits gets the prefix `00`.
export function phoneDigits(value: string): string {
  const text = numberIn(value);
  const international = INTERNATIONAL.exec(text);
  if (!international) return text.replace(/\D/g, "");
  // The trunk prefix of `+44 (0)20 …` is not dialed from abroad.
  const digits = text.slice(international[0].length).replace(/\(0\)/, "").replace(/\D/g, "");
  return /^[2-9]\d{9}$/.test(digits) ? `00${digits}` : digits;
}

/** Checks digits only; numbers outside North America pass. */
export function isPlausibleNanpNumber(digits: string): boolean {
  const national = /^1?(\d{10})$/.exec(digits)?.[1];
  return national === undefined || /^[2-9]\d{2}[2-9]/.test(national);
}

/** Formats a complete number; returns text and numbers that are too short, too long or begin with a national 0 as typed. */
export function formatPhone(value: string): string {
  const digits = phoneDigits(value);
  const isComplete = /^(?:00)?[1-9]\d{9,14}$/.test(digits) && isPlausibleNanpNumber(digits);
  if (!isComplete || !NUMBER.test(numberIn(value))) return value;
  const national = /^(1?)(\d{3})(\d{3})(\d{4})$/.exec(digits);
  if (national) return `${national[1] && "+1 "}(${national[2]}) ${national[3]}-${national[4]}`;
  const abroad = digits.replace(/^00/, "");
  const code = COUNTRY_CODE.exec(abroad)?.[0] ?? "";
  return [`+${code}`, ...(abroad.slice(code.length).match(/\d{3}(?=\d{3})|\d+/g) ?? [])].join(" ");
}

function numberIn(value: string): string {
  return asciiDigits(value).replace("\uFF0B", "+").replace(EXTENSION, "$1");
}
