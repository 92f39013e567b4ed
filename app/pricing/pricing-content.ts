import { company } from "../company";
import { MONTHLY_PRICES, TRIAL_DAYS } from "../contract/plans";

export const pricing = {
  title: "Pricing that scales with your\u00a0prompts",
  text: "Start with 50 prompts. Upgrade as you track more.",
  promises: [
    `${TRIAL_DAYS}-day free trial of MINI, LITE and STANDARD`,
    `No charge for ${TRIAL_DAYS} days`,
    "Cancel anytime",
  ],
  description: `What ${company.name} costs: MINI $${MONTHLY_PRICES.MINI}, LITE $${MONTHLY_PRICES.LITE} and STANDARD $${MONTHLY_PRICES.STANDARD} a month with a ${TRIAL_DAYS}-day free trial; ENTERPRISE/AGENCY on request.`,
};
