import { company } from "../company";
import { shortAmount } from "../contract/money";
import { ENTERPRISE_PLAN, PAID_PLANS, PLAN_FEATURES } from "../contract/plans";
import { TRIAL_DAYS } from "../contract/trial";

const prices = PAID_PLANS.map(({ title, priceCents }) => `${title} ${shortAmount(priceCents)}`).join(", ");

export const pricing = {
  title: "Pricing that scales with your\u00a0prompts",
  text: `Start with ${PLAN_FEATURES[PAID_PLANS[0].key].prompts} prompts. Upgrade as you track more.`,
  description: `What ${company.name} costs a month: ${prices}, each with a ${TRIAL_DAYS}-day free trial; ${ENTERPRISE_PLAN.title} on request.`,
};
