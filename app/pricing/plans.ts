import { MONTHLY_PRICES, TRIAL_DAYS } from "../contract/plan-prices";
import { mailTo, type Site } from "../ui/site";
import { platforms } from "./platforms";

export { TRIAL_DAYS };

export interface PlanFeature {
  title: string;
  text: string;
  included: boolean;
}

export interface Plan {
  key: "mini" | "lite" | "standard" | "enterprise";
  title: "MINI" | "LITE" | "STANDARD" | "ENTERPRISE/AGENCY";
  /** US dollars a month; null for a price on request. */
  price: number | null;
  /** The price without a discount. */
  originalPrice: number | null;
  priceDetail: string;
  trialBadge: string | null;
  /** The plan whose features are included too. */
  includes: Plan["title"] | null;
  features: PlanFeature[];
  highlighted: boolean;
  ctaText: string;
  ctaLink: string;
  smallPriceText: string | null;
  packageId: string | null;
}

const TRIAL_BADGE = `${TRIAL_DAYS}-day free trial`;

/** The source of the plan cards, the sign-up, llms.txt and the structured data. */
export function plans({ packageIds, salesEmail }: Pick<Site, "packageIds" | "salesEmail">): Plan[] {
  return [
    {
      ...paidPlan("mini", "MINI", packageIds.mini),
      features: features({ key: "mini", prompts: 50, pieces: 5, geo: false }),
    },
    {
      ...paidPlan("lite", "LITE", packageIds.lite),
      features: features({ key: "lite", prompts: 100, pieces: 10, geo: false }),
    },
    {
      ...paidPlan("standard", "STANDARD", packageIds.standard),
      highlighted: true,
      features: features({ key: "standard", prompts: 600, pieces: 30, geo: true }),
    },
    {
      key: "enterprise",
      title: "ENTERPRISE/AGENCY",
      price: null,
      originalPrice: null,
      priceDetail: "Price on request",
      trialBadge: null,
      includes: "STANDARD",
      highlighted: false,
      ctaText: "Contact Sales",
      ctaLink: mailTo(salesEmail, "Enterprise/Agency plan"),
      smallPriceText: null,
      packageId: null,
      features: [
        { title: "Platforms", text: platforms.enterprise.join(", "), included: true },
        { title: "Prompts tracked", text: "Custom prompts", included: true },
        {
          title: "Integrations",
          text: "Search console, analytics product, two hosting and edge providers",
          included: true,
        },
        { title: "Support", text: "Dedicated specialist and a forward-deployed engineer", included: true },
      ],
    },
  ];
}

function paidPlan(key: "mini" | "lite" | "standard", title: keyof typeof MONTHLY_PRICES, packageId: string) {
  const price = MONTHLY_PRICES[title];
  return {
    key,
    title,
    price,
    originalPrice: price,
    priceDetail: "a month",
    trialBadge: TRIAL_BADGE,
    includes: null,
    highlighted: false,
    ctaText: "Start free trial",
    ctaLink: packageId ? `/subscription/${packageId}` : "/subscription",
    smallPriceText: `No charge for ${TRIAL_DAYS} days, then $${price}/month. Cancel anytime.`,
    packageId,
  };
}

interface PaidFeatures {
  key: "mini" | "lite" | "standard";
  prompts: number;
  pieces: number;
  geo: boolean;
}

function features({ key, prompts, pieces, geo }: PaidFeatures): PlanFeature[] {
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

/** Compares ids case-insensitively. */
export function findPlan(plans: Plan[], packageId: string | undefined): Plan | undefined {
  const wanted = packageId?.toLowerCase();
  return wanted ? plans.find((plan) => plan.packageId?.toLowerCase() === wanted) : undefined;
}

/** The price that follows, where the current one is a discount (docs/requirements.md, P10). */
export function regularPrice({ price, originalPrice }: Pick<Plan, "price" | "originalPrice">): number | null {
  return price !== null && originalPrice !== price ? originalPrice : null;
}

/** Such as `$80 a month, afterwards $100 a month`. */
export function describePrice(plan: Pick<Plan, "price" | "originalPrice" | "priceDetail">): string {
  const { price, priceDetail } = plan;
  if (price === null) return priceDetail;
  const regular = regularPrice(plan);
  const afterwards = regular === null ? "" : `, afterwards ${formatPrice(regular)} ${priceDetail}`;
  return `${formatPrice(price)} ${priceDetail}${afterwards}`;
}

/** Such as `MINI: $100 a month, 5-day free trial`. */
export function describeOffer(plan: Plan): string {
  return [`${plan.title}: ${describePrice(plan)}`, plan.trialBadge].filter(Boolean).join(", ");
}

/** Made once: it costs more than all that it formats. */
const wholeDollars = new Intl.NumberFormat("en-US", { style: "currency", currency: "USD", maximumFractionDigits: 0 });

export function formatPrice(price: number | null): string {
  return price === null ? "On request" : wholeDollars.format(price);
}
