import type { ReactNode } from "react";
import { AGREED_PRICE, firstCharge, NO_CHARGE_TODAY, plusTax } from "../../contract/charge-wording";
import { counted } from "../../contract/counted";
import { monthlyPrice, shortAmount } from "../../contract/money";
import { TRIAL_DAYS } from "../../contract/trial";
import { CUSTOM_TITLE, describePrice, findPlan, type ShownPlan } from "../../pricing/plans/plan-list";
import { useHydrated } from "../../ui/document/use-hydrated";
import { HowToCancel, TrialTimeline, unpricedEnding } from "../../ui/trial-timeline";
import { useSite } from "../../ui/use-site";
import { planPath } from "../form-schema";

export interface PlanOnPage {
  /** Empty until a plan is chosen. */
  packageId: string;
  /** The price that the visitor agreed to, or the current price if it is not the price list's. */
  shownPriceCents: number | undefined;
  /** True on the form. Until its scripts run, selecting another plan there does not change the page's terms. */
  canChange?: boolean | undefined;
}

/** True while a plan that the visitor selects does not change the page's terms. */
function useMayDiffer({ canChange = false }: PlanOnPage): boolean {
  return !useHydrated() && canChange;
}

interface PlanSummaryProps extends PlanOnPage {
  /** Changes the plan. */
  children?: ReactNode;
}

/** Keeps to a few lines on small screens, so that the fields below are in view. */
export function PlanSummary({ children, ...shown }: PlanSummaryProps) {
  const { packageId, shownPriceCents } = shown;
  const plan = findPlan(packageId, shownPriceCents);
  const mayDiffer = useMayDiffer(shown);
  return (
    <aside className="card px-4 py-2 text-sm [grid-area:plan] lg:p-6 lg:text-base" aria-labelledby="plan-summary">
      <h2 id="plan-summary" className="sr-only text-heading lg:not-sr-only">
        Your plan
      </h2>
      <div className={mayDiffer ? "of-first-plan" : undefined}>
        <div className="flex flex-wrap items-baseline justify-between gap-x-3 lg:mt-4 lg:block">
          {plan ? <PlanTerms plan={plan} /> : <Unpriced isChosen={Boolean(packageId)} mayDiffer={mayDiffer} />}
        </div>
      </div>
      <div>{children}</div>
    </aside>
  );
}

/** Shown next to the form on wide screens and below it on narrow ones. */
export function TrialPlan(shown: PlanOnPage) {
  const { packageId, shownPriceCents } = shown;
  const { automaticTax } = useSite();
  const plan = findPlan(packageId, shownPriceCents);
  const mayDiffer = useMayDiffer(shown);
  return (
    <section className={`card step-trial p-5 lg:p-6 ${mayDiffer ? "of-first-plan" : ""}`} aria-labelledby="trial">
      <h2 id="trial" className="mb-4 text-heading">
        <span>How the trial works</span>
        {mayDiffer && <span className="sr-only">{` ${nameOf(shown)}`}</span>}
      </h2>
      <TrialTimeline
        ending={trialEnding(plan, Boolean(planPath(packageId)), automaticTax)}
        hasPlan={packageId !== ""}
      />
      <div className="mt-4">
        <HowToCancel />
      </div>
    </section>
  );
}

function trialEnding(plan: ShownPlan | undefined, isCustom: boolean, automaticTax: boolean): string {
  if (!plan || plan.shownPriceCents === null) return unpricedEnding(isCustom);
  return firstCharge(plusTax(shortAmount(plan.shownPriceCents), automaticTax));
}

/** Names the plan of these terms, because the visitor may have selected another. */
function nameOf({ packageId, shownPriceCents }: PlanOnPage): string {
  if (packageId === "") return "until you choose a plan";
  return `with ${findPlan(packageId, shownPriceCents)?.title ?? "your custom plan"}`;
}

function PlanTerms({ plan }: { plan: ShownPlan }) {
  return (
    <>
      <p>
        <strong className="lg:block lg:text-xl">{plan.title}</strong>{" "}
        <span className="hidden text-muted lg:inline">{describePrice(plan)}</span>
      </p>
      {plan.shownPriceCents !== null && (
        <p className="text-muted lg:hidden">{`${TRIAL_DAYS}-day free trial, then ${monthlyPrice(plan.shownPriceCents)}`}</p>
      )}
    </>
  );
}

/** Shown above the button at every width. */
export function TrialOffer(shown: PlanOnPage) {
  const { packageId, shownPriceCents } = shown;
  const { automaticTax } = useSite();
  const mayDiffer = useMayDiffer(shown);
  const offer = trialOffer(findPlan(packageId, shownPriceCents), Boolean(planPath(packageId)), automaticTax);
  if (!mayDiffer) return <p className="mt-3 font-semibold">{offer}</p>;
  return (
    <>
      <p key="another" className="of-other-plan mt-3 font-semibold">
        {`If you select another plan: $0 today. Then ${plusTax("its price", automaticTax)} every month, starting after ${counted(TRIAL_DAYS, "day")}, unless you cancel.`}
      </p>
      <p key="first" className="of-first-plan mt-3 font-semibold">
        <span className="sr-only">{`Your trial ${nameOf(shown)}: `}</span>
        <span>{offer}</span>
      </p>
    </>
  );
}

function trialOffer(plan: ShownPlan | undefined, isCustom: boolean, automaticTax: boolean): string {
  const after = `after ${counted(TRIAL_DAYS, "day")}`;
  if (!plan || plan.shownPriceCents === null) {
    return isCustom
      ? `$0 today. Then ${AGREED_PRICE} ${after} unless you cancel.`
      : `$0 today. Your first ${counted(TRIAL_DAYS, "day")} are free.`;
  }
  return `$0 today. Then ${plusTax(monthlyPrice(plan.shownPriceCents), automaticTax)} ${after} unless you cancel.`;
}

function Unpriced({ isChosen, mayDiffer }: { isChosen: boolean; mayDiffer: boolean }) {
  const none = mayDiffer ? <span key="may differ">The one you choose.</span> : <span>No plan chosen yet.</span>;
  return (
    <>
      <p>{isChosen ? <strong className="lg:text-xl">{CUSTOM_TITLE}</strong> : none}</p>
      {!isChosen && <p className="text-muted lg:mt-2">Choose one in the form.</p>}
      <p className="mt-2 hidden text-muted lg:block">
        {`${isChosen ? `This plan is not on our pricing page. You’ll pay ${AGREED_PRICE}. ` : ""}${NO_CHARGE_TODAY} during your ${TRIAL_DAYS}-day free trial.`}
      </p>
    </>
  );
}
