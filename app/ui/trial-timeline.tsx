import { AGREED_PRICE, firstCharge, NO_CHARGE_TODAY } from "../contract/charge-wording";
import { counted } from "../contract/counted";
import { REMINDER_DAYS, TRIAL_DAYS } from "../contract/trial";
import { useSite } from "./use-site";

const reminder = {
  day: `Day ${TRIAL_DAYS - REMINDER_DAYS + 1}`,
  text: `We email you a reminder, ${counted(REMINDER_DAYS, "day")} before the trial ends.`,
};

/**
 * The dates of a trial that matter, counted from today.
 * @param props.ending what happens when the trial ends
 * @param props.hasPlan without a plan, nothing is charged and no reminder is sent
 */
export function TrialTimeline({ ending, hasPlan = true }: { ending: string; hasPlan?: boolean }) {
  const days = [
    { day: "Today", text: `$0. ${NO_CHARGE_TODAY}.` },
    ...(hasPlan ? [reminder] : []),
    { day: `Day ${TRIAL_DAYS + 1}`, text: ending },
  ];
  return (
    <ol className="timeline">
      {days.map(({ day, text }) => (
        <li key={day}>
          <strong>{day}</strong> <span className="block text-muted">{text}</span>
        </li>
      ))}
    </ol>
  );
}

export function HowToCancel() {
  const { customerPortalUrl } = useSite();
  return (
    <p className="text-muted">
      To cancel before the first charge, use your account settings, or log in to the{" "}
      <a href={customerPortalUrl} className="text-link">
        customer portal
      </a>{" "}
      with just your email address.
    </p>
  );
}

/** How the trial ends on a custom plan or without a plan. */
export function unpricedEnding(isCustom: boolean): string {
  return isCustom ? firstCharge(AGREED_PRICE) : "Your trial ends. Without a plan, you pay nothing.";
}
