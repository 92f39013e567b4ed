import { CheckIcon } from "../../ui/controls/icons";
import { type DetailedPlan, PRICE_PER_PROMPT } from "./plan-details";
import { PlanPriceLine } from "./plan-price";

/** One table on wide screens; on narrow ones each feature is above the plans' values (`.comparison`). */
export function PlanComparison({ plans }: { plans: DetailedPlan[] }) {
  const titles = new Set(plans.flatMap(({ features }) => features.map(({ title }) => title)));
  return (
    <section className="wrap pb-24" aria-labelledby="comparison">
      <h2 id="comparison" className="text-title">
        Compare the plans
      </h2>
      <div className="comparison mt-10">
        <table>
          <thead>
            <tr>
              <th scope="col">Feature</th>
              {plans.map(({ key, title, highlighted }) => (
                <th key={key} scope="col" data-highlighted={highlighted || undefined}>
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            <tr>
              <th scope="row">Price</th>
              {plans.map((plan) => (
                <td key={plan.key} data-plan={breakable(plan.title)} data-highlighted={plan.highlighted || undefined}>
                  <PlanPriceLine plan={plan} />
                </td>
              ))}
            </tr>
            {[...titles].map((title) => (
              <tr key={title}>
                <th scope="row">{title}</th>
                {plans.map((plan) => (
                  <td key={plan.key} data-plan={breakable(plan.title)} data-highlighted={plan.highlighted || undefined}>
                    <Cell plan={plan} title={title} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

/** A name in two parts may break between them. */
function breakable(title: string): string {
  return title.replace("/", "/\u200b");
}

function Cell({ plan, title }: { plan: DetailedPlan; title: string }) {
  const feature = plan.features.find((candidate) => candidate.title === title);
  if (feature === undefined && title === PRICE_PER_PROMPT) return plan.priceDetail;
  if (feature === undefined) return plan.includes ? `Same as ${plan.includes}` : <NotIncluded />;
  if (!feature.included) return <NotIncluded />;
  if (feature.text) return feature.text;
  return (
    <span className="inline-flex items-center gap-1.5">
      <CheckIcon className="size-5 text-success" />
      Included
    </span>
  );
}

function NotIncluded() {
  return <span className="text-muted">Not included</span>;
}
