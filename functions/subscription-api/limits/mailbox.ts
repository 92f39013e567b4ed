/** Providers that ignore dots in the local part: https://support.google.com/mail/answer/7436150 */
const IGNORES_DOTS = new Set(["gmail.com", "googlemail.com"]);

/**
 * The mailbox that a normalized email address leads to, only for comparing one address with another: without a tag after
 * a plus sign (RFC 5233), and without dots where the provider ignores them.
 */
export function mailboxOf(email: string): string {
  const at = email.lastIndexOf("@");
  const domain = email.slice(at + 1);
  const local = email.slice(0, at);
  const untagged = local.replace(/(?<=.)\+.*$/, "");
  if (!IGNORES_DOTS.has(domain)) return `${untagged}@${domain}`;
  return `${untagged.replaceAll(".", "")}@gmail.com`;
}
