import { useHydrated } from "../document/use-hydrated";

/** A day in the visitor's language and time zone; without JavaScript in UTC, labeled as such. `time` is ISO 8601. */
export function Day({ time }: { time: string }) {
  return <LocalTime time={time} format={{ dateStyle: "long" }} />;
}

/** Like `Day`, with the time of day. */
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
