import { ENTERPRISE_PLAN, PAID_PLANS, PLAN_FEATURES } from "../../contract/plans";
import { formatPrice, type Plan } from "./plan-list";
import { discountPerPrompt, pricePerPrompt } from "./price-per-prompt";

interface Choice {
  key: Plan["key"];
  prompts: string;
  answer: string;
}

const recommended = PAID_PLANS.find(({ key }) => PLAN_FEATURES[key].highlighted)?.key;

/** Radio buttons and CSS: the checked one shows its answer and marks its plan's card (pricing.css). */
export function PlanPicker() {
  return (
    <fieldset className="picker" data-markdown="skip">
      <legend className="text-heading">How many prompts do you track?</legend>
      {choices().map(({ key, prompts, answer }) => (
        <div key={key}>
          <label>
            <input
              type="radio"
              name="prompts"
              id={`prompts-${key}`}
              aria-describedby={`answer-${key}`}
              defaultChecked={key === recommended}
            />
            {prompts}
          </label>
          <p id={`answer-${key}`}>{answer}</p>
        </div>
      ))}
    </fieldset>
  );
}

function choices(): Choice[] {
  const most = Math.max(...PAID_PLANS.map(({ key }) => PLAN_FEATURES[key].prompts));
  return [
    ...PAID_PLANS.map((plan, index): Choice => {
      const { prompts } = PLAN_FEATURES[plan.key];
      const before = PAID_PLANS[index - 1];
      const less = before ? discountPerPrompt(plan, before) : 0;
      return {
        key: plan.key,
        prompts: before ? `${PLAN_FEATURES[before.key].prompts + 1} to ${prompts}` : `Up to ${prompts}`,
        answer: `${plan.title} fits: ${prompts} prompts for ${formatPrice(plan.monthlyPrice)} a month. Each costs ${pricePerPrompt(plan)}${before && less > 0 ? `, ${less}% less than with ${before.title}` : ""}.`,
      };
    }),
    {
      key: ENTERPRISE_PLAN.key,
      prompts: `More than ${most}`,
      answer: `${ENTERPRISE_PLAN.title} fits: custom prompts, with a price on request.`,
    },
  ];
}
