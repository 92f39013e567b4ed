import { useHydrated } from "../document/use-hydrated";

/** A day in the visitor's language and time zone; without a script that of UTC, and it says so. `time` is ISO 8601. */
export function Day({ time }: { time: string }) {
  return <LocalTime time={time} format={{ dateStyle: "long" }} />;
}

/** A day and its time, in the same way. */
export function Moment({ time }: { time: string }) {
  return <LocalTime time={time} format={{ dateStyle: "long", timeStyle: "short" }} />;
}

function LocalTime({ time, format }: { time: string; format: Intl.DateTimeFormatOptions }) {
  const hydrated = useHydrated();
  const date = new Date(time);
  return (
    <time dateTime={time}>
      {hydrated
        ? date.toLocaleString(undefined, format)
        : `${date.toLocaleString("en-US", { ...format, timeZone: "UTC" })} (UTC)`}
    </time>
  );
}
