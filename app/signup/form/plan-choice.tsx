import { Fragment, useEffect, useRef } from "react";
import { AGREED_PRICE } from "../../contract/charge-wording";
import { monthlyPrice } from "../../contract/money";
import { PAID_PLANS } from "../../contract/plans";
import { CUSTOM_TITLE, findPlan } from "../../pricing/plans/plan-list";
import { PLAN_CHOICE_FIELD, planChoiceValue } from "../form-schema";

export const PLAN_CHOICE_ID = "choose-plan";
const ERROR_ID = `${PLAN_CHOICE_ID}-error`;

export interface CustomPlan {
  packageId: string;
  currentPriceCents?: number | undefined;
}

export interface PlanChoiceProps {
  packageId: string;
  problem: string | undefined;
  /** The current price of the form's plan in US cents, if it is not the price list's. */
  currentPriceCents: number | undefined;
  isOptional: boolean;
  /** The link's plan, if it is not on the pricing page. */
  customPlan: CustomPlan | undefined;
  formId?: string;
  onChoose: (packageId: string) => void;
}

/** Radio buttons rather than links, so that everything typed stays, with and without JavaScript. */
export function PlanChoice({
  packageId,
  problem,
  currentPriceCents,
  isOptional,
  customPlan,
  formId,
  onChoose,
}: PlanChoiceProps) {
  const current = findPlan(packageId)?.packageId ?? packageId;
  const plans = planOptions(current, currentPriceCents).filter((plan) => !problem || plan.packageId !== current);
  const options = [...plans, ...(customPlan ? [customOption(customPlan)] : []), ...(isOptional ? [WITHOUT_PLAN] : [])];
  const fieldset = useRef<HTMLFieldSetElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once, for a plan chosen before hydration
  useEffect(() => {
    const chosen = fieldset.current?.querySelector<HTMLInputElement>("input:checked:not([checked])");
    const earlier = options.find(({ value }) => value === chosen?.value);
    if (earlier) onChoose(earlier.packageId);
  }, []);
  return (
    <fieldset ref={fieldset} className="field-group" aria-describedby={problem && ERROR_ID}>
      <legend className={formId && "sr-only"}>Choose a plan</legend>
      <div className="field-grid">
        {problem && (
          <p id={ERROR_ID} className="field-errors sm:col-span-2">
            {problem}
          </p>
        )}
        {options.map((option, index) => (
          <Fragment key={option.packageId}>
            <label className="plan-option">
              <input
                id={index === 0 ? PLAN_CHOICE_ID : undefined}
                type="radio"
                form={formId}
                name={PLAN_CHOICE_FIELD}
                value={option.value}
                defaultChecked={option.packageId === current}
                onChange={() => onChoose(option.packageId)}
              />
              <span>
                <strong>{option.title}</strong>
                <span>{option.terms}</span>
              </span>
            </label>{" "}
          </Fragment>
        ))}
      </div>
    </fieldset>
  );
}

interface Option {
  packageId: string;
  value: string;
  title: string;
  terms: string;
}

const WITHOUT_PLAN: Option = {
  packageId: "",
  value: "",
  title: "No plan yet",
  terms: ": tell support which one you want before your trial ends",
};

function customOption({ packageId, currentPriceCents }: CustomPlan): Option {
  return {
    packageId,
    value: planChoiceValue(packageId, currentPriceCents),
    title: CUSTOM_TITLE,
    terms: currentPriceCents === undefined ? `, at ${AGREED_PRICE}` : `, ${monthlyPrice(currentPriceCents)}`,
  };
}

function planOptions(current: string, currentPriceCents: number | undefined): Option[] {
  return PAID_PLANS.map(({ packageId, title, priceCents }) => {
    const shownPriceCents = (packageId === current ? currentPriceCents : undefined) ?? priceCents;
    return {
      packageId,
      value: planChoiceValue(packageId, shownPriceCents),
      title,
      terms: `, ${monthlyPrice(shownPriceCents)}`,
    };
  });
}
