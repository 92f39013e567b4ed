import { describePrice, formatPrice, type Plan, regularPrice } from "./plan-list";

/** The price on one line; a discounted price follows the regular price, struck through. */
export function PlanPriceLine({ plan }: { plan: Plan }) {
  return (
    <>
      <RegularPrice plan={plan} />
      {describePrice(plan)}
    </>
  );
}

/** Nothing for a plan without a discount. */
export function RegularPrice({ plan, className }: { plan: Plan; className?: string }) {
  const regular = regularPrice(plan);
  if (regular === null) return null;
  return (
    <>
      <del className={className}>
        <span className="sr-only">Regular price </span>
        {formatPrice(regular)}
      </del>{" "}
    </>
  );
}
