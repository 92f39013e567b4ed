import { company } from "../../company";
import { ENTERPRISE_PLAN, PAID_PLANS, type PaidPlan } from "../../contract/plans";
import { signUpPath } from "../../contract/sign-up-path";
import { TRIAL_DAYS } from "../../contract/trial";
import { mailTo } from "../../ui/use-site";

/** A plan as the pages show it; plan-details.ts adds the features. */
export interface Plan {
  key: (PaidPlan | typeof ENTERPRISE_PLAN)["key"];
  title: (PaidPlan | typeof ENTERPRISE_PLAN)["title"];
  /** US dollars a month; null for a price on request. */
  price: number | null;
  priceDetail: string;
  trialBadge: string | null;
  ctaLink: string;
  packageId: string | null;
}

const TRIAL_BADGE = `${TRIAL_DAYS}-day free trial`;

/** Used by the plan cards, the sign-up, llms.txt and the structured data. */
export const PLANS: readonly Plan[] = [
  ...PAID_PLANS.map(({ key, title, monthlyPrice, packageId }) => ({
    key,
    title,
    price: monthlyPrice,
    priceDetail: "a month",
    trialBadge: TRIAL_BADGE,
    ctaLink: signUpPath(packageId),
    packageId,
  })),
  {
    key: ENTERPRISE_PLAN.key,
    title: ENTERPRISE_PLAN.title,
    price: null,
    priceDetail: "Price on request",
    trialBadge: null,
    ctaLink: mailTo(company.salesEmail, "Enterprise/Agency plan"),
    packageId: null,
  },
];

/**
 * The listed plan with a package ID, ignoring case.
 * @param priceCents the price that a visitor agreed to, in case the list has changed since
 */
export function findPlan(packageId: string | undefined, priceCents?: number): Plan | undefined {
  const wanted = packageId?.toLowerCase();
  const plan = wanted ? PLANS.find((plan) => plan.packageId === wanted) : undefined;
  if (!plan || priceCents === undefined || priceCents === priceCentsOf(plan)) return plan;
  return { ...plan, price: priceCents / 100 };
}

/** Undefined for a price on request. */
export function priceCentsOf({ price }: Pick<Plan, "price">): number | undefined {
  return price === null ? undefined : price * 100;
}

/** For example `$100 a month`. */
export function describePrice({ price, priceDetail }: Pick<Plan, "price" | "priceDetail">): string {
  return price === null ? priceDetail : `${formatPrice(price)} ${priceDetail}`;
}

/** For example `MINI: $100 a month, 5-day free trial`. */
export function describeOffer(plan: Plan): string {
  return [`${plan.title}: ${describePrice(plan)}`, plan.trialBadge].filter(Boolean).join(", ");
}

/** For example `$1,200`. Avoids `Intl`, whose first use takes 100 ms on a phone while the form hydrates. */
export function formatPrice(price: number | null): string {
  return price === null ? "On request" : `$${String(price).replace(/\B(?=(\d{3})+$)/g, ",")}`;
}
