import { ClosingCall } from "../ui/closing-call";
import { useSite } from "../ui/site";
import { FaqSection } from "./faq-section";
import { PlanCard } from "./plan-card";
import { plans } from "./plans";
import { pricing } from "./pricing-content";

export function PricingPage() {
  return (
    <>
      <section className="wrap pt-12 pb-24 sm:pt-20">
        <div className="max-w-3xl">
          <h1 className="text-display">{pricing.title}</h1>
          <p className="mt-6 text-xl text-muted">{pricing.text}</p>
        </div>
        <div className="mt-14 grid items-stretch gap-5 sm:grid-cols-2 xl:grid-cols-4">
          {plans(useSite()).map((plan) => (
            <PlanCard key={plan.key} plan={plan} />
          ))}
        </div>
      </section>
      <FaqSection />
      <div className="pt-24">
        <ClosingCall />
      </div>
    </>
  );
}
