import { type PaidPlan, PLAN_FEATURES } from "../../contract/plans";

const dollarsAndCents = new Intl.NumberFormat("en-US", { style: "currency", currency: "USD" });

/** A month's price divided by the plan's prompts, for example `$0.83`. */
export function pricePerPrompt(plan: PaidPlan): string {
  return dollarsAndCents.format(dollarsPerPrompt(plan));
}

/** How much less a prompt costs than in another plan, in whole percent. */
export function discountPerPrompt(plan: PaidPlan, other: PaidPlan): number {
  return Math.round(100 * (1 - dollarsPerPrompt(plan) / dollarsPerPrompt(other)));
}

function dollarsPerPrompt({ key, monthlyPrice }: PaidPlan): number {
  return monthlyPrice / PLAN_FEATURES[key].prompts;
}
