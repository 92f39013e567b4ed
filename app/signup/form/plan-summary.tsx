import type { ReactNode } from "react";
import { AGREED_PRICE, firstCharge, NO_CHARGE_TODAY, plusTax } from "../../contract/charge-wording";
import { shortAmount } from "../../contract/money";
import { TRIAL_DAYS } from "../../contract/trial";
import { CUSTOM_TITLE, describePrice, findPlan, type ShownPlan } from "../../pricing/plans/plan-list";
import { HowToCancel, TrialTimeline, unpricedEnding } from "../../ui/trial-timeline";
import { type Site, useSite } from "../../ui/use-site";
import { planPath } from "../form-schema";

export interface PlanOnPage {
  /** Empty until a plan is chosen. */
  packageId: string;
  shownPriceCents: number | undefined;
}

interface PlanSummaryProps extends PlanOnPage {
  /** Changes the plan. */
  children?: ReactNode;
}

/** Keeps to a few lines on small screens, so that the fields below are in view. */
export function PlanSummary({ packageId, shownPriceCents, children }: PlanSummaryProps) {
  const plan = findPlan(packageId, shownPriceCents);
  return (
    <aside className="card px-4 py-2 text-sm [grid-area:plan] lg:p-6 lg:text-base" aria-labelledby="plan-summary">
      <h2 id="plan-summary" className="sr-only text-heading lg:not-sr-only">
        Your plan
      </h2>
      <div className="of-first-plan">
        <div className="flex flex-wrap items-baseline justify-between gap-x-3 lg:mt-4 lg:block">
          {plan ? <PlanTerms plan={plan} /> : <Unpriced isChosen={Boolean(packageId)} />}
        </div>
      </div>
      <noscript>
        <p className="of-other-plan lg:mt-4">You’ve selected another plan.</p>
      </noscript>
      <div>{children}</div>
    </aside>
  );
}

/** Shown next to the form on wide screens and below it on narrow ones. */
export function TrialPlan({ packageId, shownPriceCents }: PlanOnPage) {
  const site = useSite();
  const plan = findPlan(packageId, shownPriceCents);
  return (
    <section className="card of-first-plan step-trial p-5 lg:p-6" aria-labelledby="trial">
      <h2 id="trial" className="mb-4 text-heading">
        How the trial works
      </h2>
      <TrialTimeline ending={trialEnding(plan, Boolean(planPath(packageId)), site)} hasPlan={packageId !== ""} />
      <div className="mt-4">
        <HowToCancel />
      </div>
    </section>
  );
}

function trialEnding(
  plan: ShownPlan | undefined,
  isCustom: boolean,
  { automaticTax }: Pick<Site, "automaticTax">,
): string {
  if (!plan || plan.shownPriceCents === null) return unpricedEnding(isCustom);
  return firstCharge(plusTax(shortAmount(plan.shownPriceCents), automaticTax));
}

export function PlanTerms({ plan }: { plan: ShownPlan }) {
  return (
    <>
      <p>
        <strong className="lg:block lg:text-xl">{plan.title}</strong>{" "}
        <span className="hidden text-muted lg:inline">{describePrice(plan)}</span>
      </p>
      {plan.shownPriceCents !== null && (
        <p className="text-muted lg:hidden">{`${TRIAL_DAYS}-day free trial, then ${monthly(plan.shownPriceCents)}`}</p>
      )}
    </>
  );
}

/** Shown above the button at every width. */
export function TrialOffer({ packageId, shownPriceCents }: PlanOnPage) {
  const site = useSite();
  const plan = findPlan(packageId, shownPriceCents);
  return (
    <>
      <noscript>
        <p className="of-other-plan mt-3 font-semibold">
          {`$0 today. Then ${plusTax("your selected plan’s price", site.automaticTax)} every month, starting after ${TRIAL_DAYS} days, unless you cancel.`}
        </p>
      </noscript>
      <p className="of-first-plan mt-3 font-semibold">
        {trialOffer(plan, Boolean(planPath(packageId)), site.automaticTax)}
      </p>
    </>
  );
}

export function trialOffer(plan: ShownPlan | undefined, isCustom: boolean, automaticTax = false): string {
  const after = `after ${TRIAL_DAYS} days`;
  if (!plan || plan.shownPriceCents === null) {
    return isCustom
      ? `$0 today. Then ${AGREED_PRICE} ${after} unless you cancel.`
      : `$0 today. Your first ${TRIAL_DAYS} days are free.`;
  }
  return `$0 today. Then ${plusTax(monthly(plan.shownPriceCents), automaticTax)} ${after} unless you cancel.`;
}

function monthly(cents: number): string {
  return `${shortAmount(cents)}/month`;
}

function Unpriced({ isChosen }: { isChosen: boolean }) {
  return (
    <>
      <p>{isChosen ? <strong className="lg:text-xl">{CUSTOM_TITLE}</strong> : <span>No plan chosen yet.</span>}</p>
      {!isChosen && <p className="text-muted lg:mt-2">Choose one in the form.</p>}
      <p className="mt-2 hidden text-muted lg:block">
        {`${isChosen ? `This plan is not on our pricing page. You’ll pay ${AGREED_PRICE}. ` : ""}${NO_CHARGE_TODAY} during your ${TRIAL_DAYS}-day free trial.`}
      </p>
    </>
  );
}
