import { AGREED_PRICE, firstCharge, NO_CHARGE_TODAY } from "../contract/charge-wording";
import { counted } from "../contract/counted";
import { REMINDER_DAYS } from "../contract/trial";
import { useIsPromised, useSite } from "./use-site";

/** @param props.ending what happens when the trial ends @param props.hasPlan without a plan, no reminder is sent */
export function TrialTimeline({ days, ending, hasPlan = true }: { days: number; ending: string; hasPlan?: boolean }) {
  const isReminded = useIsPromised("reminds") && hasPlan;
  const reminder = {
    day: `Day ${days - REMINDER_DAYS + 1}`,
    text: `We email you a reminder, ${counted(REMINDER_DAYS, "day")} before the trial ends.`,
  };
  const dates = [
    { day: "Today", text: `$0. ${NO_CHARGE_TODAY}.` },
    ...(isReminded ? [reminder] : []),
    { day: `Day ${days + 1}`, text: ending },
  ];
  return (
    <ol className="timeline">
      {dates.map(({ day, text }) => (
        <li key={day}>
          <strong>{day}</strong> <span className="block text-muted">{text}</span>
        </li>
      ))}
    </ol>
  );
}

export function HowToCancel() {
  const { customerPortalUrl } = useSite();
  if (!customerPortalUrl)
    return <p className="text-muted">To cancel before the first charge, use your account settings.</p>;
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

export function useUnpricedEnding(isCustom: boolean): string {
  const isFree = useIsPromised("charges-only-plans");
  if (isCustom) return firstCharge(AGREED_PRICE);
  return isFree ? "Your trial ends. Without a plan, you pay nothing." : "Your trial ends.";
}
