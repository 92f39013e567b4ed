import { COPIED_MARKS } from "./clean-text";

/** Zero-width joiners stay only between characters that are not ASCII, as in a Persian domain. The last lookbehind keeps it linear. */
const STRAY_JOINERS = /(?<!\P{ASCII})[\u200C\u200D]+|(?<![\u200C\u200D])[\u200C\u200D]+(?=\p{ASCII})/gu;

/** An address while it is typed: lowercase and without white space, with ASCII characters from a Japanese or Chinese keyboard. */
export function cleanTypedEmail(value: string): string {
  return value
    .replace(/\p{White_Space}+/gu, "")
    .replace(COPIED_MARKS, "")
    .replace(/[\uFF01-\uFF5E]/g, (wide) => String.fromCharCode(wide.charCodeAt(0) - 0xfee0))
    .replace(/[\u3002\uFF61]/g, ".")
    .toLowerCase()
    .replace(STRAY_JOINERS, "");
}

/**
 * A complete address as the site and the API store and compare it: without a leading `mailto:` and the punctuation of the
 * sentence it was copied from, and with the domain as its A-label (RFC 5890). Idempotent.
 */
export function cleanEmail(value: string): string {
  // The lookbehind keeps the search linear.
  const address = cleanTypedEmail(value).replace(/^(?:mailto:\/*)+|(?<![.,;])[.,;]+$/g, "");
  // Longer domains are invalid, and slow to convert.
  return address.replace(/(?<=@)[^@]{1,254}$/, toALabels);
}

/** A domain with characters beyond ASCII. No label begins or ends with a hyphen. */
const INTERNATIONAL = /^(?!.*(?:(?<![^.])-|-(?![^.])))[a-z\d.-]*\P{ASCII}[\P{ASCII}a-z\d.-]*$/u;

/** Returns a domain unchanged if it is ASCII or if the platform cannot convert it. */
function toALabels(domain: string): string {
  if (!INTERNATIONAL.test(domain)) return domain;
  try {
    return new URL(`http://${domain}`).hostname;
  } catch {
    return domain;
  }
}

/**
 * HTML's definition, which is what browsers accept, with at most 254 characters, 64 of them before the `@` (RFC 5321, section
 * 4.5.3.1), and with a top-level domain: https://html.spec.whatwg.org/multipage/input.html#valid-e-mail-address
 */
export const EMAIL =
  /^(?=.{1,254}$)[a-z\d.!#$%&'*+/=?^_`{|}~-]{1,64}@(?:(?!-)[a-z\d-]{1,63}(?<!-)\.)+[a-z][a-z\d-]{0,62}(?<!-)$/;
