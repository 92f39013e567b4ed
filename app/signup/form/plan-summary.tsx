import { subscriptionRequest } from "../../contract/subscription-request";
import { PlanPriceLine } from "../../pricing/plan-price";
import { describePrice, findPlan, type Plan, plans, TRIAL_DAYS } from "../../pricing/plans";
import { useSite } from "../../ui/site";
import { PlanChoice } from "./plan-choice";

/** One line on small screens, so that the fields below come into view. */
export function PlanSummary({ packageId }: { packageId: string | undefined }) {
  const catalogue = plans(useSite());
  const checked = subscriptionRequest.shape.package_id.safeParse(packageId || undefined);
  if (!checked.success) return <PlanChoice problem={checked.error.issues[0]?.message ?? ""} plans={catalogue} />;
  const plan = findPlan(catalogue, packageId);
  return (
    <aside
      className="card order-first px-4 py-2 text-sm lg:sticky lg:top-24 lg:order-none lg:p-6 lg:text-base"
      aria-labelledby="plan-summary"
    >
      <h2 id="plan-summary" className="sr-only text-heading lg:not-sr-only">
        Your plan
      </h2>
      <div className="flex flex-wrap items-center justify-between gap-x-2 lg:block">
        {plan ? <PlanTerms plan={plan} /> : <Unpriced isChosen={Boolean(packageId)} />}
        <a className="inline-block py-1 font-semibold text-brand underline lg:mt-4" href="/pricing">
          {plan ? "Change" : "Compare"}
          <span className="sr-only lg:not-sr-only"> {plan ? "plan" : "plans"}</span>
        </a>
      </div>
    </aside>
  );
}

export function PlanTerms({ plan }: { plan: Plan }) {
  return (
    <>
      <p className="lg:mt-4">
        <strong className="lg:block lg:text-xl">{plan.title}</strong>{" "}
        <span className="text-muted">
          <PlanPriceLine plan={plan} />
        </span>
      </p>
      <dl className="mt-4 hidden gap-4 lg:grid">
        <div>
          <dt className="font-bold">Today</dt>
          <dd className="text-muted">$0. {TRIAL_DAYS}-day free trial; your card is set up, not charged.</dd>
        </div>
        <div>
          <dt className="font-bold">After {TRIAL_DAYS} days</dt>
          <dd className="text-muted">{describePrice(plan)}, unless you cancel before.</dd>
        </div>
      </dl>
    </>
  );
}

function Unpriced({ isChosen }: { isChosen: boolean }) {
  return (
    <>
      <p className="lg:mt-4">
        {isChosen ? <strong className="lg:text-xl">Custom plan</strong> : "No plan chosen yet."}
      </p>
      <p className="mt-2 hidden text-muted lg:block">
        {isChosen && "This plan is not on our pricing page: its price is the one that you agreed with us. "}
        The trial is free for {TRIAL_DAYS} days; your card is set up, not charged.
      </p>
    </>
  );
}
