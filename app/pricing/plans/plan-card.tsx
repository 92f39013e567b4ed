import { ButtonLink } from "../../ui/controls/button";
import { CheckIcon, CrossIcon } from "../../ui/controls/icons";
import type { DetailedPlan, PlanFeature } from "./plan-details";
import { formatPrice, regularPrice } from "./plan-list";
import { RegularPrice } from "./plan-price";

export function PlanCard({ plan }: { plan: DetailedPlan }) {
  const id = `plan-${plan.key}`;
  return (
    <article aria-labelledby={id} className={`card plan-card ${plan.highlighted ? "plan-highlighted lifted" : ""}`}>
      <div>
        <h2 id={id} className="plan-name">
          <span>{plan.title}</span>
        </h2>
        {plan.highlighted && <p className="badge plan-ribbon bg-accent text-on-accent">Recommended</p>}
        <PlanPrice plan={plan} />
        {plan.trialBadge && <p className="badge mt-4 bg-success-soft text-success">{plan.trialBadge}</p>}
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
        {plan.smallPriceText && (
          <p
            className="mt-3 text-sm wrap-anywhere text-muted"
            // Markdown has the address in place of the button.
            data-markdown={plan.price === null ? "skip" : undefined}
          >
            {plan.smallPriceText}
          </p>
        )}
      </div>
      <ul className="flex flex-col gap-3 border-t border-line pt-6" data-markdown="skip">
        {plan.includes && <Feature feature={{ title: `Everything in ${plan.includes}`, text: "", included: true }} />}
        {plan.features.map((feature) => (
          <Feature key={feature.title} feature={feature} />
        ))}
      </ul>
    </article>
  );
}

function PlanPrice({ plan }: { plan: DetailedPlan }) {
  if (plan.price === null) return <p className="mt-3 font-display text-2xl leading-12 font-bold">{plan.priceDetail}</p>;
  const regular = regularPrice(plan);
  return (
    <>
      <p className="mt-3 flex flex-wrap items-baseline gap-x-2">
        <RegularPrice plan={plan} className="text-xl text-muted" />
        <span className="font-display text-[min(3rem,16vw)] leading-none font-bold">{formatPrice(plan.price)}</span>{" "}
        <span className="text-muted">{plan.priceDetail}</span>
      </p>
      {regular !== null && (
        <p className="mt-1 text-sm text-muted">
          Then {formatPrice(regular)} {plan.priceDetail}
        </p>
      )}
    </>
  );
}

function Feature({ feature: { title, text, included } }: { feature: PlanFeature }) {
  const Icon = included ? CheckIcon : CrossIcon;
  return (
    <li className={`flex gap-3 leading-normal ${included ? "" : "text-muted"}`}>
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
