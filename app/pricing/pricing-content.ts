import { company } from "../company";
import { ENTERPRISE_PLAN, PAID_PLANS, PLAN_FEATURES, TRIAL_DAYS } from "../contract/plans";
import { listOf, paidTitles } from "./plans/platforms";

const prices = listOf(PAID_PLANS.map(({ title, monthlyPrice }) => `${title} $${monthlyPrice}`));

export const pricing = {
  title: "Pricing that scales with your\u00a0prompts",
  text: `Start with ${PLAN_FEATURES[PAID_PLANS[0].key].prompts} prompts. Upgrade as you track more.`,
  promises: [`${TRIAL_DAYS}-day free trial of ${paidTitles}`, `No charge for ${TRIAL_DAYS} days`, "Cancel anytime"],
  description: `What ${company.name} costs: ${prices} a month with a ${TRIAL_DAYS}-day free trial; ${ENTERPRISE_PLAN.title} on request.`,
};
