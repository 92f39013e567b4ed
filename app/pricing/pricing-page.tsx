import { ClosingCall } from "../ui/layout/closing-call";
import { useSite } from "../ui/use-site";
import { BriefSample } from "./brief-sample";
import { FaqSection } from "./faq-section";
import { CommonFeatures, PlanCard } from "./plans/plan-card";
import { detailedPlans } from "./plans/plan-details";
import { PlatformTable } from "./platform-table";
import { pricing } from "./pricing-content";
import { TrialSection } from "./trial-section";

export function PricingPage() {
  const { automaticTax } = useSite();
  return (
    <>
      <section className="wrap pt-8 pb-16 sm:pt-20 sm:pb-24">
        <h1 className="max-w-3xl text-display">{pricing.title}</h1>
        <p className="mt-4 text-xl text-muted sm:mt-6">{pricing.text}</p>
        <div id="plans" className="mt-8 grid items-stretch gap-5 sm:mt-12 sm:grid-cols-2 xl:grid-cols-4">
          {detailedPlans().map((plan) => (
            <PlanCard key={plan.key} plan={plan} isTaxAdded={automaticTax} />
          ))}
        </div>
        <CommonFeatures />
        <PlatformTable />
      </section>
      <TrialSection />
      <BriefSample />
      <FaqSection />
      <ClosingCall />
    </>
  );
}
