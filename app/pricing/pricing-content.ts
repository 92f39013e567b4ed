import { PAID_PLANS, PLAN_FEATURES } from "../contract/plans";

export const pricing = {
  title: "Pricing that scales with your\u00a0prompts",
  text: `Start with ${PLAN_FEATURES[PAID_PLANS[0].key].prompts} prompts. Upgrade as you track more.`,
};
