import { company } from "../company";
import { counted } from "../contract/counted";
import { monthlyPrice } from "../contract/money";
import { PAID_PLANS } from "../contract/plans";
import { TRIAL_DAYS } from "../contract/trial";

/** Also used in llms.txt and the structured data. No-break spaces avoid a single word on a headline's last line. */

export const hero = {
  eyebrow: "AI search visibility for brands and\u00a0agencies",
  headline: "Be\u00a0the brand\u00a0that",
  ending: "AI search",
  cited: "cites",
  text: `Your buyers ask ChatGPT and Perplexity what to buy, and act on the answer. ${company.name} shows which answers name you, which name a competitor, and what to publish next.`,
  terms: `From ${monthlyPrice(Math.min(...PAID_PLANS.map(({ priceCents }) => priceCents)))}. No charge for ${counted(TRIAL_DAYS, "day")}. Cancel anytime.`,
};

export const research = {
  url: "https://www.gartner.com/en/newsroom/press-releases/2023-12-14-gartner-predicts-fifty-percent-of-consumers-will-significantly-limit-their-interactions-with-social-media-by-2025",
  firm: "Gartner",
  survey: "Survey of 299 consumers, August 2023.",
  published: "press release, December 14, 2023",
};

export const forecast = {
  figure: "50%+",
  text: "AI search will cut organic traffic by 50% or more by 2028.",
};

interface OwnProof {
  /** Customers who agreed to be named. */
  logos: { src: string; alt: string; width: number; height: number }[];
  /** A customer's words. `by`: name, role and company. */
  quote: { text: string; by: string } | undefined;
}

/** Shows nothing until the company has some. The files go into `public/`. */
export const proof: OwnProof = { logos: [], quote: undefined };

/** About the invented brand of the illustration; the numbers agree with it. */
export const deliverables = {
  title: "What you get",
  text: "For Norvane, an invented maker of cargo bikes, these are a brief, a report and an answer that changed.",
  examples: [
    {
      kind: "Content brief",
      title: "Cargo bike or second car?",
      facts: [
        { term: "Gap", text: "ChatGPT and Perplexity answer without naming Norvane." },
        { term: "Reader", text: "Parent of two, in a city, who owns one car." },
        { term: "Format", text: "Short answer, then a table of five years of costs." },
      ],
    },
    {
      kind: "Monthly report",
      title: "August: 62% visibility",
      facts: [
        { term: "Since July", text: "Up 5 points, from 57%." },
        { term: "Closest competitor", text: "Tarrio, with 44%." },
        { term: "Content gaps", text: "38 are open. A brief is ready for the largest." },
      ],
    },
    {
      kind: "Answer that changed",
      title: "Which cargo bike is best for two kids?",
      facts: [
        { term: "March", text: "ChatGPT names Tarrio and Osterby." },
        { term: "May", text: "Norvane publishes its family guide." },
        { term: "August", text: "ChatGPT names the Norvane Duo first, and cites the guide." },
      ],
    },
  ],
} as const;

export const features = [
  {
    key: "visibility",
    title: "AI Search Visibility",
    text: "Visibility is the share of tracked answers that name your brand. If 6 of 10 name you, it is 60%. See it for each prompt and platform, and follow it over time.",
  },
  {
    key: "competition",
    title: "Competitive Analysis",
    text: "Compare your visibility with your competitors’. See which answers name competitors but not you.",
  },
  {
    key: "content",
    title: "Automated Content Optimization",
    text: "Turn each gap into content that AI search can find, understand and cite.",
  },
] as const;

export const future = {
  title: "The future of search is an answer, not a list of\u00a0links",
  statistics: [
    {
      figure: "50%+",
      text: "Forecast drop in organic traffic by 2028, as consumers embrace generative AI-powered search.",
    },
    {
      figure: "79%",
      text: "of consumers expected, in August 2023, to use AI-enhanced search within the next year.",
    },
    {
      figure: "70%",
      text: "of consumers had at least some trust in the results of AI-enhanced search in August 2023.",
    },
  ],
  quote: "CMOs must prepare for the disruption that GenAI-backed search will bring to their organic search strategies.",
};

export const suite = {
  title: "From prompt to published answer",
  text: "Find the questions, measure the answers, publish what is missing.",
  products: [
    {
      key: "prompts",
      title: "Prompt generation",
      text: "Synthetic prompts built from your keywords and targeted by persona: the questions your buyers ask.",
    },
    {
      key: "monitoring",
      title: "Monitoring",
      text: "One dashboard for your AI visibility metrics and the content gaps that keep you out of answers.",
    },
    {
      key: "actions",
      title: "Actions",
      text: "Content briefs that are ready for AI search. A brief says what to write: the question, the reader and the format.",
    },
  ],
} as const;
