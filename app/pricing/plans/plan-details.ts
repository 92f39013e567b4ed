import { company } from "../../company";
import { ENTERPRISE_PLATFORMS, PAID_PLANS, type PaidPlan, PLAN_FEATURES } from "../../contract/plans";
import { TRIAL_DAYS } from "../../contract/trial";
import { PLANS, type Plan } from "./plan-list";
import { pricePerPrompt } from "./price-per-prompt";

export interface PlanFeature {
  title: string;
  text: string;
  included: boolean;
}

export interface DetailedPlan extends Plan {
  /** The plan whose features are also included. */
  includes: Plan["title"] | null;
  features: PlanFeature[];
  highlighted: boolean;
  ctaText: string;
  smallPriceText: string | null;
}

/** The plans with their features for the pricing page. */
export function detailedPlans(): DetailedPlan[] {
  return PLANS.map((plan) => {
    const paid = PAID_PLANS.find(({ key }) => key === plan.key);
    return {
      ...plan,
      includes: paid ? null : "STANDARD",
      features: paid ? paidFeatures(paid) : enterpriseFeatures,
      highlighted: paid ? PLAN_FEATURES[paid.key].highlighted : false,
      ctaText: paid ? "Start free trial" : "Contact Sales",
      smallPriceText: paid
        ? `No charge for ${TRIAL_DAYS} days, then $${paid.monthlyPrice}/month. Cancel anytime.`
        : `Or write to ${company.salesEmail}.`,
    };
  });
}

/** Only of plans with a price. */
export const PRICE_PER_PROMPT = "Price per prompt";

const enterpriseFeatures: PlanFeature[] = [
  { title: "Platforms", text: ENTERPRISE_PLATFORMS.join(", "), included: true },
  { title: "Prompts tracked", text: "Custom prompts", included: true },
  {
    title: "Integrations",
    text: "Your search console, your analytics tool, and two hosting and edge providers",
    included: true,
  },
  { title: "Support", text: "Dedicated specialist and a forward-deployed engineer", included: true },
];

function paidFeatures(plan: PaidPlan): PlanFeature[] {
  const { platforms, prompts, pieces, geoSpecialist } = PLAN_FEATURES[plan.key];
  return [
    { title: "Platforms", text: platforms.join(", "), included: true },
    { title: "Domains", text: "Unlimited", included: true },
    { title: "Prompts tracked", text: String(prompts), included: true },
    { title: PRICE_PER_PROMPT, text: `${pricePerPrompt(plan)} a month`, included: true },
    { title: "Briefs / pieces", text: `${pieces} / ${pieces} a month`, included: true },
    { title: "Export", text: "CSV/JSON", included: true },
    { title: "Seats", text: "Unlimited", included: true },
    { title: "Support", text: "Email", included: true },
    { title: "Dedicated GEO specialist", text: "", included: geoSpecialist },
  ];
}
