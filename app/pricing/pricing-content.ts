import { company } from "../company";
import { TRIAL_DAYS } from "./plans";

/** The words of the pricing page that are neither plan nor question. */
export const pricing = {
  title: "Pricing that scales with your prompts",
  text: `Unlimited domains and seats on every plan from MINI to STANDARD. Try any of them free for ${TRIAL_DAYS} days: your card is set up, but not charged immediately.`,
  description: `Monthly plans of ${company.name} for visibility in AI search: MINI, LITE and STANDARD with a ${TRIAL_DAYS}-day free trial, ENTERPRISE/AGENCY on request.`,
};
