/** The free trial of every paid plan, in days. */
export const TRIAL_DAYS = 5;

/**
 * The plans that visitors can sign up for, in the order of the pricing page. Prices are US dollars a month. The API sells the
 * packages of its migrations, which have to agree: docs/operations.md, "Plans and prices".
 */
export const PAID_PLANS = [
  { key: "mini", title: "MINI", monthlyPrice: 100 },
  { key: "lite", title: "LITE", monthlyPrice: 200 },
  { key: "standard", title: "STANDARD", monthlyPrice: 500 },
] as const;

export type PaidPlan = (typeof PAID_PLANS)[number];

/** Sold by sales, with a price on request. */
export const ENTERPRISE_PLAN = { key: "enterprise", title: "ENTERPRISE/AGENCY" } as const;

export interface PlanFeatures {
  /** The AI search engines whose answers it tracks. */
  platforms: readonly string[];
  prompts: number;
  /** Briefs, and pieces of content, a month. */
  pieces: number;
  geoSpecialist: boolean;
  highlighted: boolean;
}

/** Apart from the list above, because no browser needs them. */
export const PLAN_FEATURES: Record<PaidPlan["key"], PlanFeatures> = {
  mini: {
    platforms: ["ChatGPT", "Perplexity"],
    prompts: 50,
    pieces: 5,
    geoSpecialist: false,
    highlighted: false,
  },
  lite: {
    platforms: ["ChatGPT", "Perplexity"],
    prompts: 100,
    pieces: 10,
    geoSpecialist: false,
    highlighted: false,
  },
  standard: {
    platforms: ["ChatGPT", "Perplexity", "Google AI Overviews"],
    prompts: 600,
    pieces: 30,
    geoSpecialist: true,
    highlighted: true,
  },
};

export const ENTERPRISE_PLATFORMS: readonly string[] = [
  "ChatGPT",
  "Perplexity",
  "Claude",
  "Google AI Overviews",
  "Google AI Mode",
  "Gemini",
  "Microsoft Copilot",
  "Grok",
];

/** The site's setting with a plan's package id. */
export function settingOf({ title }: Pick<PaidPlan, "title">) {
  return `PACKAGE_ID_${title}` as const;
}

/** Package ids by the key of their plan. */
export type PackageIds = Record<PaidPlan["key"], string>;
