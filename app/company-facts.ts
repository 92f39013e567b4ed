/** Apart from company.ts, because no page needs these in the browser. */
export const companyFacts = {
  description:
    "Citewell helps brands and agencies raise their visibility in AI search: ChatGPT, Perplexity, Gemini, Google AI Overviews and DeepSeek. Platforms vary by plan.",
  /** One entry per line. An example: preflight refuses it. */
  postalAddress: ["Citewell, Inc.", "100 Example Street, Suite 400", "Wilmington, Delaware 19801", "United States"],
  /** The company's own pages on other sites. An example: preflight refuses it. */
  profiles: ["https://social.example/@citewell"],
};
