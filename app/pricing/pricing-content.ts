import { company } from "../company";
import { TRIAL_DAYS } from "./plans";

export const pricing = {
  title: "Pricing that scales with your prompts",
  text: "From a first fifty prompts to a whole agency: choose by how many questions you want to follow.",
  promises: [
    `${TRIAL_DAYS} days free on MINI, LITE and STANDARD`,
    "Card not charged immediately",
    "Upgrade at any time",
  ],
  description: `Monthly plans of ${company.name} for visibility in AI search: MINI, LITE and STANDARD with a ${TRIAL_DAYS}-day free trial, ENTERPRISE/AGENCY on request.`,
};
