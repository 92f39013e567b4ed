import { shortAmount } from "../../contract/money";
import { TRIAL_DAYS } from "../../contract/trial";
import { describePrice, findPlan, type Plan } from "../../pricing/plans/plan-list";
import { firstCharge, HowToCancel, TrialTimeline, unpricedEnding } from "../../ui/trial-timeline";
import { type Site, useSite } from "../../ui/use-site";
import { planPath } from "../form-schema";

export interface PlanOnPage {
  /** Empty until a plan is chosen. */
  packageId: string;
  shownPriceCents: number | undefined;
}

/** Keeps to a few lines on small screens, so that the fields below are in view. */
export function PlanSummary({ packageId, shownPriceCents }: PlanOnPage) {
  const plan = findPlan(packageId, shownPriceCents);
  return (
    <aside className="card px-4 py-2 text-sm [grid-area:plan] lg:p-6 lg:text-base" aria-labelledby="plan-summary">
      <h2 id="plan-summary" className="sr-only text-heading lg:not-sr-only">
        Your plan
      </h2>
      <div className="flex flex-wrap items-center justify-between gap-x-2 lg:block">
        {plan ? <PlanTerms plan={plan} /> : <Unpriced isChosen={Boolean(packageId)} />}
        <a className="inline-block py-1 font-semibold text-brand underline lg:mt-4" href="/pricing">
          <span>{plan ? "Change" : "Compare"}</span>
          <span className="sr-only lg:not-sr-only">{plan ? " plan" : " plans"}</span>
        </a>
      </div>
    </aside>
  );
}

/** Shown next to the form on wide screens and below it on narrow ones. */
export function TrialPlan({ packageId, shownPriceCents }: PlanOnPage) {
  const site = useSite();
  const plan = findPlan(packageId, shownPriceCents);
  return (
    <section className="card step-trial p-5 lg:p-6" aria-labelledby="trial">
      <h2 id="trial" className="mb-4 text-heading">
        How the trial works
      </h2>
      <TrialTimeline ending={trialEnding(plan, Boolean(planPath(packageId)), site)} />
      <div className="mt-4">
        <HowToCancel />
      </div>
    </section>
  );
}

function trialEnding(plan: Plan | undefined, isCustom: boolean, { automaticTax }: Pick<Site, "automaticTax">): string {
  if (!plan || plan.shownPriceCents === null) return unpricedEnding(isCustom);
  return firstCharge(`${shortAmount(plan.shownPriceCents)}${automaticTax ? " plus any tax" : ""}`);
}

export function PlanTerms({ plan }: { plan: Plan }) {
  return (
    <>
      <p className="lg:mt-4">
        <strong className="lg:block lg:text-xl">{plan.title}</strong>{" "}
        <span className="hidden text-muted lg:inline">{describePrice(plan)}</span>
      </p>
      {plan.shownPriceCents !== null && (
        <p className="order-last w-full text-muted lg:hidden">
          {`${TRIAL_DAYS}-day free trial, then ${monthly(plan.shownPriceCents)}`}
        </p>
      )}
    </>
  );
}

/** Shown above the button at every width. */
export function TrialOffer({ packageId, shownPriceCents }: PlanOnPage) {
  const site = useSite();
  const plan = findPlan(packageId, shownPriceCents);
  return <span>{trialOffer(plan, Boolean(planPath(packageId)), site.automaticTax)}</span>;
}

export function trialOffer(plan: Plan | undefined, isCustom: boolean, automaticTax = false): string {
  const after = `after ${TRIAL_DAYS} days`;
  if (!plan || plan.shownPriceCents === null) {
    return isCustom
      ? `$0 today. Then the price you agreed with us ${after} unless you cancel.`
      : `$0 today. Your first ${TRIAL_DAYS} days are free.`;
  }
  const tax = automaticTax ? " plus any tax" : "";
  return `$0 today. Then ${monthly(plan.shownPriceCents)}${tax} ${after} unless you cancel.`;
}

function monthly(cents: number): string {
  return `${shortAmount(cents)}/month`;
}

function Unpriced({ isChosen }: { isChosen: boolean }) {
  return (
    <>
      <p className="lg:mt-4">
        {isChosen ? <strong className="lg:text-xl">Custom plan</strong> : <span>No plan chosen yet.</span>}
      </p>
      {!isChosen && <p className="order-last w-full text-muted lg:mt-2">Choose one in the form.</p>}
      <p className="mt-2 hidden text-muted lg:block">
        {`${isChosen ? "This plan is not on our pricing page. You'll pay the price you agreed with us. " : ""}We save your card but don't charge it during your ${TRIAL_DAYS}-day free trial.`}
      </p>
    </>
  );
}
