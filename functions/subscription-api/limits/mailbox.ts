/** Providers that ignore dots in the local part: https://support.google.com/mail/answer/7436150 */
const IGNORES_DOTS = new Set(["gmail.com", "googlemail.com"]);

/** For comparison only: drops the plus tag (RFC 5233) and the dots that the provider ignores. */
export function mailboxOf(email: string): string {
  const at = email.lastIndexOf("@");
  const domain = email.slice(at + 1);
  const local = email.slice(0, at);
  const untagged = local.replace(/(?<=.)\+.*$/, "");
  if (!IGNORES_DOTS.has(domain)) return `${untagged}@${domain}`;
  return `${untagged.replaceAll(".", "")}@gmail.com`;
}
