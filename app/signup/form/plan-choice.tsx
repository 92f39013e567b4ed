import { Link } from "@remix-run/react";
import { describePrice, type Plan } from "../../pricing/plans/plan-list";

/** The target of the error link for the hidden package ID. */
export const PLAN_CHOICE_ID = "choose-plan";

/** Replaces the plan summary if the package ID is invalid. */
export function PlanChoice({ problem, plans }: { problem: string; plans: readonly Plan[] }) {
  return (
    <aside
      id={PLAN_CHOICE_ID}
      tabIndex={-1}
      className="notice notice-destructive [grid-area:plan]"
      aria-labelledby="plan-problem"
    >
      <h2 id="plan-problem" className="font-bold">
        {problem}
      </h2>
      <p>This link doesn't match any of our plans. Choose one to continue:</p>
      <ul className="mt-1">
        {plans
          .filter(({ packageId }) => packageId)
          .map((plan) => (
            <li key={plan.key}>
              {/* Stays on the page, to keep the typed values. */}
              <Link className="inline-block py-1 underline" to={plan.ctaLink} preventScrollReset>
                <strong>{plan.title}</strong>, {describePrice(plan)}
              </Link>
            </li>
          ))}
        <li>
          <a className="inline-block py-1 underline" href="/pricing">
            Compare plans
          </a>
        </li>
      </ul>
    </aside>
  );
}
