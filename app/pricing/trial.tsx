import { TRIAL_DAYS } from "../contract/plan-prices";
import { useHydrated } from "../ui/use-hydrated";

const DAY_MS = 24 * 60 * 60 * 1000;

/** The end of a trial that begins at a time, both as ISO 8601. */
export function trialEndOf(startedAt: string): string {
  return new Date(Date.parse(startedAt) + TRIAL_DAYS * DAY_MS).toISOString();
}

/** A day in the visitor's language and time zone; without a script that of UTC, and it says so. */
export function Day({ time }: { time: string }) {
  const hydrated = useHydrated();
  const date = new Date(time);
  return (
    <time dateTime={time}>
      {hydrated
        ? date.toLocaleDateString(undefined, { dateStyle: "long" })
        : `${date.toLocaleDateString("en-US", { dateStyle: "long", timeZone: "UTC" })} (UTC)`}
    </time>
  );
}
