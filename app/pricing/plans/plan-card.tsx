import { ButtonLink } from "../../ui/controls/button";
import { CheckIcon, CrossIcon } from "../../ui/controls/icons";
import { COMMON_FEATURES, type DetailedPlan, type PlanFeature } from "./plan-details";

export function PlanCard({ plan, isTaxAdded }: { plan: DetailedPlan; isTaxAdded: boolean }) {
  const id = `plan-${plan.key}`;
  return (
    <article aria-labelledby={id} className={`card plan-card ${plan.highlighted ? "plan-highlighted lifted" : ""}`}>
      <div>
        <div className="flex flex-wrap items-center justify-between gap-2">
          <h2 id={id} className="text-lg font-bold">
            {plan.title}
          </h2>
          {plan.trialBadge && <p className="badge bg-success-soft text-success">{plan.trialBadge}</p>}
        </div>
        {plan.highlighted && <p className="badge plan-ribbon bg-accent text-on-accent">Recommended</p>}
        <PlanPrice plan={plan} isTaxAdded={isTaxAdded} />
      </div>
      <div>
        <ButtonLink
          href={plan.ctaLink}
          variant={plan.highlighted ? "primary" : "secondary"}
          className="w-full"
          aria-label={plan.price === null ? undefined : `${plan.ctaText}: ${plan.title}`}
        >
          {plan.ctaText}
        </ButtonLink>
        <p
          className="mt-2 text-center text-sm wrap-anywhere text-muted"
          // The Markdown version has the address in place of the button.
          data-markdown={plan.price === null ? "skip" : undefined}
        >
          {plan.smallPriceText}
        </p>
      </div>
      <ul className="plan-features">
        {plan.includes && <Feature feature={{ title: `Everything in ${plan.includes}`, text: "", included: true }} />}
        {plan.features.map((feature) => (
          <Feature key={feature.title} feature={feature} />
        ))}
      </ul>
    </article>
  );
}

export function CommonFeatures() {
  return (
    <ul className="common mt-8">
      <li className="font-bold">In every plan:</li>
      {COMMON_FEATURES.map((feature) => (
        <Feature key={feature.title} feature={feature} />
      ))}
    </ul>
  );
}

/** Inline, so that find-in-page finds "$100 a month". */
function PlanPrice({ plan, isTaxAdded }: { plan: DetailedPlan; isTaxAdded: boolean }) {
  const { price, originalPrice, priceDetail } = plan;
  if (price === null) return <p className="mt-3 font-display text-2xl leading-12 font-bold">{priceDetail}</p>;
  const isDiscounted = originalPrice !== null && originalPrice !== price;
  return (
    <>
      <p className="mt-3 text-muted">
        {isDiscounted && (
          <>
            <del className="text-xl">
              <span className="sr-only">Regular price </span>
              {originalPrice}
            </del>{" "}
          </>
        )}
        <span className="plan-price">{price}</span> {priceDetail}
      </p>
      {isTaxAdded && <p className="text-sm text-muted">Plus any tax.</p>}
      {isDiscounted && <p className="text-sm text-muted">{`Then ${originalPrice} ${priceDetail}`}</p>}
    </>
  );
}

function Feature({ feature: { title, text, included } }: { feature: PlanFeature }) {
  const Icon = included ? CheckIcon : CrossIcon;
  return (
    <li className={included ? "" : "text-muted"}>
      <Icon className={`size-5 ${included ? "text-success" : "text-line-strong"}`} />
      <span>
        {!included && <span className="sr-only">Not included: </span>}
        <span className={included ? "font-bold" : ""}>
          {title}
          {text && ":"}
        </span>
        {text && <span className="text-muted"> {text}</span>}
      </span>
    </li>
  );
}
