import { company } from "../../company";
import { shortAmount } from "../../contract/money";
import { ENTERPRISE_PLATFORMS, PAID_PLANS, type PaidPlan, PLAN_FEATURES } from "../../contract/plans";
import { PLANS, type Plan } from "./plan-list";

export interface PlanFeature {
  title: string;
  text: string;
  included: boolean;
}

export interface DetailedPlan extends Plan {
  price: string | null;
  originalPrice: string | null;
  /** The plan whose features are also included. */
  includes: Plan["title"] | null;
  features: PlanFeature[];
  highlighted: boolean;
  ctaText: string;
  smallPriceText: string;
}

export function detailedPlans(): DetailedPlan[] {
  return PLANS.map((plan) => {
    const paid = PAID_PLANS.find(({ key }) => key === plan.key);
    const price = plan.shownPriceCents === null ? null : shortAmount(plan.shownPriceCents);
    return {
      ...plan,
      price,
      originalPrice: price,
      includes: paid ? null : "STANDARD",
      features: paid ? paidFeatures(paid) : enterpriseFeatures,
      highlighted: paid ? PLAN_FEATURES[paid.key].highlighted : false,
      ctaText: paid ? "Start free trial" : "Contact Sales",
      smallPriceText: paid ? "No charge during the trial. Cancel anytime." : `Or write to ${company.salesEmail}.`,
    };
  });
}

export const COMMON_FEATURES: PlanFeature[] = [
  { title: "Domains", text: "Unlimited", included: true },
  { title: "Seats", text: "Unlimited", included: true },
  { title: "Export", text: "CSV/JSON", included: true },
  { title: "Support", text: "Email", included: true },
];

const enterpriseFeatures: PlanFeature[] = [
  { title: "Prompts tracked", text: "Custom prompts", included: true },
  { title: "Platforms", text: ENTERPRISE_PLATFORMS.join(", "), included: true },
  {
    title: "Integrations",
    text: "Your search console, your analytics tool, and two hosting and edge providers",
    included: true,
  },
  {
    title: "Support",
    text: "Dedicated specialist and a forward-deployed engineer, who works with your team",
    included: true,
  },
];

function paidFeatures({ key }: PaidPlan): PlanFeature[] {
  const { platforms, prompts, pieces, geoSpecialist } = PLAN_FEATURES[key];
  return [
    { title: "Prompts tracked", text: String(prompts), included: true },
    {
      title: "Briefs / pieces",
      text: `${pieces} content briefs and ${pieces} pieces of content a month`,
      included: true,
    },
    { title: "Platforms", text: platforms.join(", "), included: true },
    { title: "Dedicated GEO (generative engine optimization) specialist", text: "", included: geoSpecialist },
  ];
}
