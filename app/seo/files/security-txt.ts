import { securityPage } from "../pages";

/** RFC 9116. It expires on the first of a month, 10 to 11 months from `now`: less than a year, as section 2.5.5 recommends. */
export function securityTxt(siteUrl: string, contactEmail: string, now: Date): string {
  const expires = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 11, 1));
  return `Contact: mailto:${contactEmail}
Expires: ${expires.toISOString()}
Preferred-Languages: en
Canonical: ${siteUrl}/.well-known/security.txt
Policy: ${siteUrl}${securityPage.path}
`;
}
