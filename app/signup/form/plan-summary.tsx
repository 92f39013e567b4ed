import type { ReactNode } from "react";
import { AGREED_PRICE, firstCharge, NO_CHARGE_TODAY, plusTax } from "../../contract/charge-wording";
import { counted } from "../../contract/counted";
import { utcDay } from "../../contract/dates";
import { A_MONTH, amountWithCents, monthlyPrice, shortAmount } from "../../contract/money";
import type { Terms } from "../../contract/terms";
import { CUSTOM_TITLE, findPlan, type ShownPlan } from "../../pricing/plans/plan-list";
import { useHydrated } from "../../ui/document/use-hydrated";
import { HowToCancel, TrialTimeline, useUnpricedEnding } from "../../ui/trial-timeline";
import { planPath } from "../form-schema";

export interface PlanOnPage {
  packageId: string;
  /** What the visitor agreed to or, on the form, would agree to now. Without a price, the price list's applies. */
  terms: Terms;
  /** True on the form. Until its scripts run, selecting another plan there does not change the page's terms. */
  canChange?: boolean | undefined;
}

function useMayDiffer({ canChange = false }: PlanOnPage): boolean {
  return !useHydrated() && canChange;
}

interface PlanSummaryProps extends PlanOnPage {
  /** Missing until the sign-up waits for its card. */
  trialEnd?: string | undefined;
  children?: ReactNode;
}

/** Keeps to a few lines on small screens, so that the fields below are in view. */
export function PlanSummary({ children, trialEnd, ...shown }: PlanSummaryProps) {
  const { packageId, terms } = shown;
  const plan = findPlan(packageId, terms.price_cents);
  const mayDiffer = useMayDiffer(shown);
  return (
    <aside className="card plan-summary px-4 py-2 text-sm lg:p-6 lg:text-base" aria-labelledby="plan-summary">
      <h2 id="plan-summary" className="sr-only text-heading lg:not-sr-only">
        Your plan
      </h2>
      <div className={mayDiffer ? "of-first-plan" : undefined}>
        <div className="flex flex-wrap items-baseline justify-between gap-x-3 lg:mt-4 lg:block">
          {plan ? (
            <PlanTerms plan={plan} terms={terms} trialEnd={trialEnd} />
          ) : (
            <Unpriced isChosen={Boolean(packageId)} mayDiffer={mayDiffer} trialDays={terms.trial_days} />
          )}
        </div>
      </div>
      <div>{children}</div>
    </aside>
  );
}

export function TrialPlan(shown: PlanOnPage) {
  const { packageId, terms } = shown;
  const plan = findPlan(packageId, terms.price_cents);
  const mayDiffer = useMayDiffer(shown);
  const unpricedEnding = useUnpricedEnding(Boolean(planPath(packageId)));
  return (
    <section className={`card step-trial p-5 sm:p-8 ${mayDiffer ? "of-first-plan" : ""}`} aria-labelledby="trial">
      <h2 id="trial" className="mb-4 text-heading">
        <span>How the trial works</span>
        {mayDiffer && <span className="sr-only">{`\u00a0${nameOf(shown)}`}</span>}
      </h2>
      <TrialTimeline
        days={terms.trial_days}
        ending={
          plan?.shownPriceCents
            ? firstCharge(plusTax(shortAmount(plan.shownPriceCents), terms.tax_added))
            : unpricedEnding
        }
        hasPlan={packageId !== ""}
      />
      <div className="mt-4">
        <HowToCancel />
      </div>
    </section>
  );
}

/** Names the plan of these terms, because the visitor may have selected another. */
function nameOf({ packageId, terms }: PlanOnPage): string {
  if (packageId === "") return "until you choose a plan";
  return `with ${findPlan(packageId, terms.price_cents)?.title ?? "your custom plan"}`;
}

function PlanTerms({ plan, terms, trialEnd }: { plan: ShownPlan; terms: Terms; trialEnd: string | undefined }) {
  return (
    <>
      <p>
        <strong className="lg:text-xl">{plan.title}</strong>
      </p>
      {plan.shownPriceCents !== null && (
        <>
          <p className="text-muted lg:hidden">{`${terms.trial_days}-day free trial, then ${monthlyPrice(plan.shownPriceCents)}`}</p>
          <dl className="mt-3 hidden lg:block">
            <div className="flex justify-between border-t border-line py-2">
              <dt>Due today</dt> <dd className="font-semibold">$0.00</dd>
            </div>
            <div className="flex flex-wrap justify-between border-t border-line py-2">
              <dt>{trialEnd ? `From ${utcDay(trialEnd)}` : `After ${counted(terms.trial_days, "day")}`}</dt>{" "}
              <dd className="font-semibold">
                {plusTax(`${amountWithCents(plan.shownPriceCents)} ${A_MONTH}`, terms.tax_added)}
              </dd>
            </div>
          </dl>
        </>
      )}
    </>
  );
}

export function TrialOffer(shown: PlanOnPage) {
  const { packageId, terms } = shown;
  const mayDiffer = useMayDiffer(shown);
  const offer = trialOffer(findPlan(packageId, terms.price_cents), Boolean(planPath(packageId)), terms);
  if (!mayDiffer) return <p className="mt-3 font-semibold">{offer}</p>;
  return (
    <>
      <p key="another" className="of-other-plan mt-3 font-semibold">
        {`If you select ${packageId ? "another" : "a"} plan: $0 today. Then ${plusTax("its price", terms.tax_added)} every month, starting after ${counted(terms.trial_days, "day")}, unless you cancel.`}
      </p>
      <p key="first" className="of-first-plan mt-3 font-semibold">
        <span className="sr-only">{`Your trial ${nameOf(shown)}:\u00a0`}</span>
        <span>{offer}</span>
      </p>
    </>
  );
}

function trialOffer(plan: ShownPlan | undefined, isCustom: boolean, terms: Terms): string {
  const days = counted(terms.trial_days, "day");
  if (!plan || plan.shownPriceCents === null) {
    return isCustom
      ? `$0 today. Then ${AGREED_PRICE} after ${days} unless you cancel.`
      : `$0 today. Your first ${days} are free.`;
  }
  return `$0 today. Then ${plusTax(monthlyPrice(plan.shownPriceCents), terms.tax_added)} after ${days} unless you cancel.`;
}

function Unpriced({ isChosen, mayDiffer, trialDays }: { isChosen: boolean; mayDiffer: boolean; trialDays: number }) {
  const none = mayDiffer ? <span key="may differ">The one you choose.</span> : <span>No plan yet.</span>;
  return (
    <>
      <p>{isChosen ? <strong className="lg:text-xl">{CUSTOM_TITLE}</strong> : none}</p>
      {!isChosen && <p className="text-muted lg:mt-2">You can choose one in the form.</p>}
      <p className="mt-2 hidden text-muted lg:block">
        {`${isChosen ? `This plan is not on our pricing page. You’ll pay ${AGREED_PRICE}. ` : ""}${NO_CHARGE_TODAY} during your ${trialDays}-day free trial.`}
      </p>
    </>
  );
}
