import { REMINDER_DAYS, TRIAL_DAYS, TRIAL_SCOPE } from "../contract/trial";
import { useSite } from "./use-site";

interface TrialTimelineProps {
  /** What happens when the trial ends. */
  ending: string;
  /** The days of start, reminder and first charge; for a trial that has not started, counted from today. */
  days?: [start: string, reminder: string, charge: string];
}

const DAYS: [string, string, string] = ["Today", `Day ${TRIAL_DAYS - REMINDER_DAYS + 1}`, `Day ${TRIAL_DAYS + 1}`];

/** What a trial is, its three days, and how to cancel it: the same wherever a trial is offered. */
export function TrialTimeline({ ending, days = DAYS }: TrialTimelineProps) {
  const { customerPortalUrl } = useSite();
  const texts = [
    "$0. We save your card but don’t charge it.",
    `We email you a reminder, ${REMINDER_DAYS} days before the trial ends.`,
    ending,
  ];
  return (
    <>
      <ol className="timeline">
        {texts.map((text, step) => (
          <li key={text}>
            <strong>{days[step]}</strong> <span className="block text-muted">{text}</span>
          </li>
        ))}
      </ol>
      <div className="text-muted">
        <p className="mt-4">{TRIAL_SCOPE}</p>
        <p className="mt-2">
          To cancel before the first charge, use your account settings, or log in to the{" "}
          <a href={customerPortalUrl} className="text-link">
            customer portal
          </a>{" "}
          with just your email address.
        </p>
      </div>
    </>
  );
}

/** For a custom plan, or without a plan. */
export function unpricedEnding(isCustom: boolean): string {
  return isCustom ? firstCharge("the price you agreed with us") : "Your trial ends. Without a plan, you pay nothing.";
}

/** For example `First charge: $500, then the same every month until you cancel.` */
export function firstCharge(amount: string, later?: string): string {
  return `First charge: ${amount}, then ${later ?? "the same"} every month until you cancel.`;
}
