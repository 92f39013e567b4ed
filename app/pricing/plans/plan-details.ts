import type { Site } from "../../ui/site";
import { type Plan, plans, TRIAL_DAYS } from "./plan-list";
import { platforms } from "./platforms";

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
export function detailedPlans(site: Pick<Site, "packageIds" | "salesEmail">): DetailedPlan[] {
  return plans(site).map((plan) => ({
    ...plan,
    includes: plan.key === "enterprise" ? "STANDARD" : null,
    features: features[plan.key],
    highlighted: plan.key === "standard",
    ctaText: plan.price === null ? "Contact Sales" : "Start free trial",
    smallPriceText:
      plan.price === null ? null : `No charge for ${TRIAL_DAYS} days, then $${plan.price}/month. Cancel anytime.`,
  }));
}

const features: Record<Plan["key"], PlanFeature[]> = {
  mini: paidFeatures({ key: "mini", prompts: 50, pieces: 5, geo: false }),
  lite: paidFeatures({ key: "lite", prompts: 100, pieces: 10, geo: false }),
  standard: paidFeatures({ key: "standard", prompts: 600, pieces: 30, geo: true }),
  enterprise: [
    { title: "Platforms", text: platforms.enterprise.join(", "), included: true },
    { title: "Prompts tracked", text: "Custom prompts", included: true },
    {
      title: "Integrations",
      text: "Search console, analytics product, two hosting and edge providers",
      included: true,
    },
    { title: "Support", text: "Dedicated specialist and a forward-deployed engineer", included: true },
  ],
};

interface PaidFeatures {
  key: Plan["key"];
  prompts: number;
  pieces: number;
  geo: boolean;
}

function paidFeatures({ key, prompts, pieces, geo }: PaidFeatures): PlanFeature[] {
  return [
    { title: "Platforms", text: platforms[key].join(", "), included: true },
    { title: "Domains", text: "Unlimited", included: true },
    { title: "Prompts tracked", text: String(prompts), included: true },
    { title: "Briefs / pieces", text: `${pieces} / ${pieces}`, included: true },
    { title: "Export", text: "CSV/JSON", included: true },
    { title: "Seats", text: "Unlimited", included: true },
    { title: "Support", text: "Email", included: true },
    { title: "Dedicated GEO specialist", text: "", included: geo },
  ];
}
