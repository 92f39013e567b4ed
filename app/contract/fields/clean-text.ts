/** Invisible characters in copied text. Not the joiners of some scripts, nor U+202D and U+202E, which disguise text. */
export const COPIED_MARKS = /(?!\u200C|\u200D|\u202D|\u202E)\p{DI}/gu;

const WHITE_SPACE = /\p{White_Space}+/gu;
/** Soft hyphen, zero-width space, word joiner and byte order mark. */
const WITHIN = /[\u00AD\u200B\u2060\uFEFF]/g;
/** Joiners and direction marks mean nothing at the start and the end. */
const EDGE = /[ \u200C-\u200F\u061C\u202A-\u202C\u2066-\u2069]/;
const START = new RegExp(`^${EDGE.source}+`);

/** Two keyboards can type one letter as different characters. NFC composes at most four characters into one. */
const MAX_COMPOSED_LENGTH = 1024;

/** The text in Unicode's NFC. Longer text than any field takes stays as it is: normalizing 8,000 combining marks takes 60 ms. */
export function toNfc(value: string): string {
  return value.length > MAX_COMPOSED_LENGTH ? value : value.normalize("NFC");
}

/** A name or a part of an address in NFC: single spaces, and no spaces, joiners and direction marks at the ends. */
export function cleanText(value: string): string {
  const text = value.replace(WITHIN, "").replace(WHITE_SPACE, " ");
  return toNfc(withoutEnd(text.replace(START, ""), EDGE));
}

/** The text without the characters of a kind at its end. A pattern would try each run of them from each of its characters. */
export function withoutEnd(text: string, kind: RegExp): string {
  let end = text.length;
  while (end > 0 && kind.test(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

export function asciiDigits(value: string): string {
  return value.replace(/[^\P{Nd}\d]/gu, asciiDigit);
}

/** Each script's digits run from zero to nine: https://www.unicode.org/versions/Unicode16.0.0/core-spec/chapter-4/ */
function asciiDigit(digit: string): string {
  const codePoint = digit.codePointAt(0) ?? 0;
  let before = codePoint;
  while (/\p{Nd}/u.test(String.fromCodePoint(before - 1))) before -= 1;
  return String((codePoint - before) % 10);
}

/** Hyphens, dashes, the minus sign, and the long vowel mark on the same key of Japanese keyboards. */
const DASH = /\s*[\p{Pd}\u2212\u30FC\uFF70]\s*/gu;

export function cleanZip(value: string): string {
  return asciiDigits(cleanText(value.replace(COPIED_MARKS, ""))).replace(DASH, "-");
}
