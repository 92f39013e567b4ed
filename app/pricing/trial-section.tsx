import { firstCharge, plusTax } from "../contract/charge-wording";
import { TRIAL_DAYS, TRIAL_SCOPE } from "../contract/trial";
import { TrialTimeline } from "../ui/trial-timeline";
import { useSite } from "../ui/use-site";

export function TrialSection() {
  const { automaticTax } = useSite();
  return (
    <section className="wrap pb-16 sm:pb-24" aria-labelledby="trial">
      <div className="card trial">
        <h2 id="trial" className="text-title">
          How the free trial works
        </h2>
        <TrialTimeline days={TRIAL_DAYS} ending={firstCharge(plusTax("your plan’s price", automaticTax))} />
        <p className="text-muted">If you cancel before the first charge, you pay nothing. {TRIAL_SCOPE}</p>
      </div>
    </section>
  );
}
