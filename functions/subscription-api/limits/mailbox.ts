/** Providers that ignore dots in the local part: https://support.google.com/mail/answer/7436150 */
const IGNORES_DOTS = new Set(["gmail.com", "googlemail.com"]);

/** Only for comparing addresses: without a tag after a plus sign (RFC 5233), and without dots the provider ignores. */
export function mailboxOf(email: string): string {
  const at = email.lastIndexOf("@");
  const domain = email.slice(at + 1);
  const local = email.slice(0, at);
  const untagged = local.replace(/(?<=.)\+.*$/, "");
  if (!IGNORES_DOTS.has(domain)) return `${untagged}@${domain}`;
  return `${untagged.replaceAll(".", "")}@gmail.com`;
}
