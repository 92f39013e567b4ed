import { useHydrated } from "../document/use-hydrated";

/** A time in the visitor's language and time zone; without JavaScript, in UTC and labeled so. `time` is ISO 8601. */
export function Moment({ time }: { time: string }) {
  const hydrated = useHydrated();
  const date = new Date(time);
  const format = { dateStyle: "long", timeStyle: "short" } as const;
  return (
    <time dateTime={time}>
      {hydrated
        ? date.toLocaleString(undefined, format)
        : `${date.toLocaleString("en-US", { ...format, timeZone: "UTC" })} (UTC)`}
    </time>
  );
}
