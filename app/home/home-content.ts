import { company } from "../company";

/** Also used in llms.txt and the structured data. */

export const platforms = ["ChatGPT", "Perplexity", "Gemini", "Google AI Overviews", "DeepSeek"];

export const hero = {
  eyebrow: "Brand visibility in AI search",
  headline: "Be the brand that AI search",
  cited: "cites",
  text: `Your buyers ask ChatGPT, Perplexity or Gemini and read one answer. ${company.name} shows where that answer names you, where it names someone else, and what to publish next.`,
};

export const forecast = {
  figure: "50%+",
  text: "AI search will cut organic traffic by 50% or more by 2028.",
  source: "Read the research",
};

export const features = [
  {
    key: "visibility",
    title: "AI Search Visibility",
    text: "See how your brand appears in the answers of AI search engines, prompt by prompt, and follow it over time.",
  },
  {
    key: "competition",
    title: "Competitive Analysis",
    text: "Put your visibility beside that of your competitors and find the answers in which they are named and you are not.",
  },
  {
    key: "content",
    title: "Automated Content Optimization",
    text: "Turn the gaps into content that AI search can find, understand and cite, without starting from a blank page.",
  },
] as const;

/** Only the source says what 79% and 70% measure, so the texts do not explain them. */
export const future = {
  title: "The future of search is an answer, not a list of links",
  statistics: [
    { figure: "50%+", filled: 50, text: "The cut in organic traffic that AI search will make by 2028." },
    { figure: "79%", filled: 79, text: "The second figure of the research on the future of search." },
    { figure: "70%", filled: 70, text: "The third. What each of them measures, the source says best." },
  ],
  quote:
    "Organic traffic will be cut by half or more. The brands that AI search names will be the ones that are found.",
  attribution: "AI search analyst",
};

export const suite = {
  title: "Three areas, one way into the answer",
  text: "From the question a buyer might ask to the content that answers it.",
  products: [
    {
      key: "prompts",
      title: "Prompt generation",
      text: "Synthetic prompts, built from your keywords and targeted by persona: the questions your market asks.",
    },
    {
      key: "monitoring",
      title: "Monitoring",
      text: "A dashboard of your AI visibility metrics, with the content gaps that keep you out of answers.",
    },
    {
      key: "actions",
      title: "Actions",
      text: "Content briefs that are ready for AI search, so that your team knows what to write next.",
    },
  ],
} as const;
