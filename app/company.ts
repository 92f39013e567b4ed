/** The only file to change when the product is renamed or the company moves. */
export const company = {
  name: "Citewell",
  legalName: "Citewell, Inc.",
  tagline: "Brand visibility in AI search",
  description:
    "Citewell helps brands and agencies raise their visibility in AI search: ChatGPT, Perplexity, Gemini, Google AI Overviews and DeepSeek.",
  /** Placeholder until the company has a registered office; one entry per line. */
  postalAddress: ["Citewell, Inc.", "[Street address]", "[City], Delaware [ZIP code]", "United States"],
} as const;
