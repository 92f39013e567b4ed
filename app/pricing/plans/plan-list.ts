import { company } from "../../company";
import { A_MONTH, monthlyPrice } from "../../contract/money";
import { ENTERPRISE_PLAN, PAID_PLANS, type PaidPlan } from "../../contract/plans";
import { signUpPath } from "../../contract/sign-up-path";
import { TRIAL_DAYS } from "../../contract/trial";
import { mailTo } from "../../ui/mail-to";

export interface Plan extends ShownPlan {
  key: (PaidPlan | typeof ENTERPRISE_PLAN)["key"];
  title: (PaidPlan | typeof ENTERPRISE_PLAN)["title"];
  trialBadge: string | null;
  ctaLink: string;
}

export interface ShownPlan {
  title: string;
  /** US cents a month; null for a price on request. */
  shownPriceCents: number | null;
  priceDetail: string;
  packageId: string | null;
}

export const CUSTOM_TITLE = "Custom plan";
/** A plan that is sold by its link alone. */
const CUSTOM_PLAN = { title: CUSTOM_TITLE, priceDetail: A_MONTH };

const TRIAL_BADGE = `${TRIAL_DAYS}-day free trial`;

export const PLANS: readonly Plan[] = [
  ...PAID_PLANS.map(({ key, title, priceCents, packageId }) => ({
    key,
    title,
    shownPriceCents: priceCents,
    priceDetail: A_MONTH,
    trialBadge: TRIAL_BADGE,
    ctaLink: signUpPath(packageId),
    packageId,
  })),
  {
    key: ENTERPRISE_PLAN.key,
    title: ENTERPRISE_PLAN.title,
    shownPriceCents: null,
    priceDetail: "Price on request",
    trialBadge: null,
    ctaLink: mailTo(company.salesEmail, "Enterprise/Agency plan"),
    packageId: null,
  },
];

/** Ignores the ID's case. @param shownPriceCents replaces the list's price; with it, an unlisted plan is found too */
export function findPlan(packageId: string | undefined, shownPriceCents?: number): ShownPlan | undefined {
  if (!packageId) return undefined;
  const wanted = packageId.toLowerCase();
  const plan = PLANS.find((plan) => plan.packageId === wanted);
  return shownPriceCents === undefined ? plan : { ...(plan ?? { ...CUSTOM_PLAN, packageId: wanted }), shownPriceCents };
}

export function describePrice({
  shownPriceCents,
  priceDetail,
}: Pick<ShownPlan, "shownPriceCents" | "priceDetail">): string {
  return shownPriceCents === null ? priceDetail : monthlyPrice(shownPriceCents);
}

/** For example `MINI: $100 a month, 5-day free trial`. */
export function describeOffer(plan: Plan): string {
  return [`${plan.title}: ${describePrice(plan)}`, plan.trialBadge].filter(Boolean).join(", ");
}
