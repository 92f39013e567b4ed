/** A link that opens an email. @param subject its subject line */
export function mailTo(email: string, subject?: string): string {
  return subject ? `mailto:${email}?subject=${encodeURIComponent(subject)}` : `mailto:${email}`;
}
