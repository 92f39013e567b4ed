import { PAID_PLANS, type PaidPlan, PLAN_FEATURES } from "../../contract/plans";
import type { Plan } from "./plan-list";

const dollarsAndCents = new Intl.NumberFormat("en-US", { style: "currency", currency: "USD" });

/** A month's price divided by the plan's prompts, for example `$0.83`. */
export function pricePerPrompt(plan: PaidPlan): string {
  return dollarsAndCents.format(dollarsPerPrompt(plan));
}

/** How much less a prompt costs than in another plan, in whole percent. */
export function discountPerPrompt(plan: PaidPlan, other: PaidPlan): number {
  return Math.round(100 * (1 - dollarsPerPrompt(plan) / dollarsPerPrompt(other)));
}

/** For example `50 prompts tracked, $2.00 per prompt`; empty for a price on request. */
export function describePrompts(key: Plan["key"]): string {
  const paid = PAID_PLANS.find((plan) => plan.key === key);
  return paid ? `${PLAN_FEATURES[paid.key].prompts} prompts tracked, ${pricePerPrompt(paid)} per prompt` : "";
}

function dollarsPerPrompt({ key, monthlyPrice }: PaidPlan): number {
  return monthlyPrice / PLAN_FEATURES[key].prompts;
}
