// In the order of the pricing page. Prices are whole US cents a month: 1_999 is $19.99, and the build refuses others.
// Package IDs are lowercase UUIDs. A deployment copies the plans into the reference API: docs/operations.md, "Plans and
// prices". This file must not import anything, because a rollback loads an earlier version of it alone.
export const PAID_PLANS = [
  { key: "mini", title: "MINI", priceCents: 10_000, packageId: "5a4a55f1-8a3c-4b0e-9d8e-6d2f0c1b7a10" },
  { key: "lite", title: "LITE", priceCents: 20_000, packageId: "0b1f6c8e-2f57-4d3b-8c61-94e3a7d5f220" },
  { key: "standard", title: "STANDARD", priceCents: 50_000, packageId: "c7e2d9a4-61b8-4f0a-a3d5-1e8f5b90c430" },
] as const;

export type PaidPlan = (typeof PAID_PLANS)[number];

export const ENTERPRISE_PLAN = { key: "enterprise", title: "ENTERPRISE/AGENCY" } as const;

interface PlanFeatures {
  /** The AI search engines whose answers the plan tracks. */
  platforms: readonly string[];
  prompts: number;
  /** Briefs, and pieces of content, a month. */
  pieces: number;
  geoSpecialist: boolean;
  highlighted: boolean;
}

/** Separate from the list above, because no browser needs them. */
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
