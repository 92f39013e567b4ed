import { company } from "../company";
import { ENTERPRISE_PLAN, PAID_PLANS, PLAN_FEATURES } from "../contract/plans";
import { TRIAL_DAYS } from "../contract/trial";
import { listOf, paidTitles } from "./plans/platforms";

const prices = listOf(PAID_PLANS.map(({ title, monthlyPrice }) => `${title} $${monthlyPrice}`));

export const pricing = {
  title: "Pricing that scales with your\u00a0prompts",
  text: `Start with ${PLAN_FEATURES[PAID_PLANS[0].key].prompts} prompts. Upgrade as you track more.`,
  promises: [`${TRIAL_DAYS}-day free trial of ${paidTitles}`, `No charge for ${TRIAL_DAYS} days`, "Cancel anytime"],
  description: `What ${company.name} costs: ${prices} a month with a ${TRIAL_DAYS}-day free trial; ${ENTERPRISE_PLAN.title} on request.`,
};

/** Also in llms.txt and the structured data. */
export const glossary = [
  {
    word: "GEO",
    meaning: "Generative engine optimization: work that helps AI search find, understand and cite your content.",
  },
  { word: "AI Overviews", meaning: "The AI-written summaries above Google’s search results." },
  { word: "AI Mode", meaning: "Google’s search that answers in a conversation." },
  { word: "Brief", meaning: "Instructions for one piece of content: the question, the reader and the format." },
  { word: "Piece", meaning: "A piece of content, such as an article." },
  { word: "Forward-deployed engineer", meaning: "An engineer who works directly with your team." },
];
