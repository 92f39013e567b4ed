/** The names. To rename the product or move the company, change this file and company-facts.ts. */
export const company = {
  name: "Citewell",
  legalName: "Citewell, Inc.",
  tagline: "Brand visibility in AI search",
} as const;

export function titleOf(page: string): string {
  return `${page} · ${company.name}`;
}
