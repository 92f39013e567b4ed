const name = "Citewell";
const legalName = `${name}, Inc.`;

// The company's facts for every stage and both Workers; `npm run preflight` refuses the examples. The logo is in
// `app/ui/layout/logo.tsx` and `public/favicon.svg`.
export const company = {
  name,
  legalName,
  tagline: "Brand visibility in AI search",
  description: `${name} helps brands and agencies raise their visibility in AI search: ChatGPT, Perplexity, Gemini and Google AI Overviews. Platforms vary by plan.`,
  salesEmail: "sales@citewell.example",
  supportEmail: "support@citewell.example",
  /** The contact address in the legal texts. */
  legalEmail: "legal@citewell.example",
  /** Emails come from this address. Set up its domain at the email provider. */
  senderEmail: "hello@citewell.example",
  consoleUrl: "https://console.citewell.example",
  postalAddress: [legalName, "100 Example Street, Suite 400", "Wilmington, Delaware 19801", "United States"],
  /** The company's pages on other sites; may be empty. */
  profiles: ["https://social.example/@citewell"],
};

export function titleOf(page: string): string {
  return `${page} · ${company.name}`;
}
