import { COPIED_MARKS, withoutEnd } from "./clean-text";

const JOINERS = /[\u200C\u200D]+/g;

/** Zero-width joiners stay only between characters that are not ASCII, as in a Persian domain. */
function keepJoiners(joiners: string, start: number, text: string): string {
  const [before, after] = [text.charAt(start - 1), text.charAt(start + joiners.length)];
  return before > "\x7f" && (after === "" || after > "\x7f") ? joiners : "";
}

/** An address while it is typed: lowercase and without white space, with ASCII characters from a Japanese or Chinese keyboard. */
export function cleanTypedEmail(value: string): string {
  return value
    .replace(/\p{White_Space}+/gu, "")
    .replace(COPIED_MARKS, "")
    .replace(/[\uFF01-\uFF5E]/g, (wide) => String.fromCharCode(wide.charCodeAt(0) - 0xfee0))
    .replace(/[\u3002\uFF61]/g, ".")
    .toLowerCase()
    .replace(JOINERS, keepJoiners);
}

/** An address as it is stored and compared, without copied `mailto:` and punctuation, with an A-label (RFC 5890). Idempotent. */
export function cleanEmail(value: string): string {
  const address = withoutEnd(cleanTypedEmail(value).replace(/^(?:mailto:\/*)+/, ""), /[.,;]/);
  // Longer domains are invalid, and slow to convert.
  return address.replace(/@([^@]{1,254})$/, (_, domain: string) => `@${toALabels(domain)}`);
}

/** A domain with characters beyond ASCII. No label begins or ends with a hyphen. */
const INTERNATIONAL = /^(?!-|.*(?:\.-|-\.|-$))[a-z\d.-]*\P{ASCII}[\P{ASCII}a-z\d.-]*$/u;

/** Returns a domain unchanged if it is ASCII or if the platform cannot convert it. */
function toALabels(domain: string): string {
  if (!INTERNATIONAL.test(domain)) return domain;
  try {
    return new URL(`http://${domain}`).hostname;
  } catch {
    return domain;
  }
}

// At most 254 characters, 64 of them before the `@` (RFC 5321, section 4.5.3.1), and with a top-level domain. Otherwise
// HTML's definition: https://html.spec.whatwg.org/multipage/input.html#valid-e-mail-address
export const EMAIL =
  /^(?=.{1,254}$)[a-z\d.!#$%&'*+/=?^_`{|}~-]{1,64}@(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.)+[a-z](?:[a-z\d-]{0,61}[a-z\d])?$/;
