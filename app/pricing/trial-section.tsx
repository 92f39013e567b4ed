import { firstCharge, TrialTimeline } from "../ui/trial-timeline";
import { useSite } from "../ui/use-site";

export function TrialSection() {
  const { automaticTax } = useSite();
  return (
    <section className="wrap pb-24" aria-labelledby="trial">
      <h2 id="trial" className="text-title">
        How the free trial works
      </h2>
      <div className="mt-10 grid gap-5 lg:grid-cols-2">
        <TrialTimeline ending={firstCharge(`your plan’s price${automaticTax ? " plus any tax" : ""}`)} />
      </div>
    </section>
  );
}
