/**
 * Invisible characters that copied text brings along. Not the zero-width joiners, which are letters in some scripts, nor the overrides
 * U+202D and U+202E, which disguise text.
 */
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

/**
 * A name or a part of an address: each run of white space is one space, without spaces, joiners and direction marks at the ends; in
 * NFC if not longer than any field.
 */
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

/** Replaces the decimal digits of every script. */
export function asciiDigits(value: string): string {
  return value.replace(/[^\P{Nd}\d]/gu, asciiDigit);
}

/**
 * Unicode encodes each script's decimal digits in order from zero to nine:
 * https://www.unicode.org/versions/Unicode16.0.0/core-spec/chapter-4/
 */
function asciiDigit(digit: string): string {
  const codePoint = digit.codePointAt(0) ?? 0;
  let before = codePoint;
  while (/\p{Nd}/u.test(String.fromCodePoint(before - 1))) before -= 1;
  return String((codePoint - before) % 10);
}

/** Hyphens, dashes, the minus sign, and the long vowel mark on the same key of Japanese keyboards. */
const DASH = /\s*[\p{Pd}\u2212\u30FC\uFF70]\s*/gu;

/** A ZIP code with ASCII digits and a plain hyphen. */
export function cleanZip(value: string): string {
  return asciiDigits(cleanText(value.replace(COPIED_MARKS, ""))).replace(DASH, "-");
}
