import { CheckIcon } from "../ui/controls/icons";
import { ClosingCall } from "../ui/layout/closing-call";
import { FaqSection } from "./faq-section";
import { Glossary } from "./glossary";
import { PlanCard } from "./plans/plan-card";
import { PlanComparison } from "./plans/plan-comparison";
import { detailedPlans } from "./plans/plan-details";
import { PlanPicker } from "./plans/plan-picker";
import { pricing } from "./pricing-content";
import { Samples } from "./samples";
import { TrialSection } from "./trial-section";

export function PricingPage() {
  const catalog = detailedPlans();
  return (
    <>
      <section className="plans wrap pt-12 pb-24 sm:pt-20">
        <div>
          <h1 className="max-w-3xl text-display">{pricing.title}</h1>
          <p className="mt-6 text-xl text-muted">{pricing.text}</p>
          <ul className="mt-6 flex flex-wrap gap-x-6 gap-y-2 font-bold">
            {pricing.promises.map((promise) => (
              <li key={promise} className="flex items-center gap-2">
                <CheckIcon className="size-5 text-success" />
                {promise}
              </li>
            ))}
          </ul>
        </div>
        <PlanPicker />
        <div id="plans" className="mt-10 grid items-stretch gap-5 sm:grid-cols-2 xl:grid-cols-4">
          {catalog.map((plan) => (
            <PlanCard key={plan.key} plan={plan} />
          ))}
        </div>
      </section>
      <TrialSection />
      <Samples />
      <PlanComparison plans={catalog} />
      <FaqSection />
      <Glossary />
      <ClosingCall />
    </>
  );
}
