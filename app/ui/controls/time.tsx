import { utcMinute } from "../../contract/dates";
import { useHydrated } from "../document/use-hydrated";

/** A time in the visitor's language and time zone; without JavaScript, in UTC. `time` is ISO 8601. */
export function Moment({ time }: { time: string }) {
  const hydrated = useHydrated();
  return (
    <time dateTime={time}>
      {hydrated ? new Date(time).toLocaleString(undefined, { dateStyle: "long", timeStyle: "short" }) : utcMinute(time)}
    </time>
  );
}
