import { subscriptionRequest } from "../../contract/subscription-request";
import { findPlan, formatPrice, plans, TRIAL_DAYS } from "../../pricing/plans";
import { Notice } from "../../ui/notice";
import { useSite } from "../../ui/site";

export function PlanSummary({ packageId }: { packageId: string | undefined }) {
  const site = useSite();
  const checked = subscriptionRequest.shape.package_id.safeParse(packageId || undefined);
  const plan = findPlan(plans(site), packageId);
  return (
    <aside className="card order-first p-6 lg:sticky lg:top-24 lg:order-none" aria-labelledby="plan-summary">
      <h2 id="plan-summary" className="text-heading">
        Your plan
      </h2>
      {!checked.success && (
        <div className="mt-4">
          <Notice kind="destructive" title={checked.error.issues[0]?.message ?? ""}>
            The link to this page does not name one of our plans. Please choose one on the pricing page.
          </Notice>
        </div>
      )}
      {plan && (
        <dl className="mt-4 grid gap-4">
          <div>
            <dt className="sr-only">Plan</dt>
            <dd className="text-xl font-bold">{plan.title}</dd>
            <dt className="sr-only">Price</dt>
            <dd className="text-muted">
              {formatPrice(plan.price)} {plan.priceDetail}
            </dd>
          </div>
          <div>
            <dt className="font-bold">Today</dt>
            <dd className="text-muted">$0. {TRIAL_DAYS}-day free trial; your card is set up, not charged.</dd>
          </div>
          <div>
            <dt className="font-bold">After {TRIAL_DAYS} days</dt>
            <dd className="text-muted">
              {formatPrice(plan.price)} {plan.priceDetail}, unless you cancel before.
            </dd>
          </div>
        </dl>
      )}
      {!plan && checked.success && (
        <p className="mt-4 text-muted">
          {packageId ? `Package ${packageId}` : "No plan chosen yet."} The trial is free for {TRIAL_DAYS} days; your
          card is set up, not charged.
        </p>
      )}
      <a className="mt-4 inline-block py-1 font-semibold text-brand underline" href="/pricing">
        {plan ? "Change plan" : "Compare plans"}
      </a>
    </aside>
  );
}
