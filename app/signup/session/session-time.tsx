import { useFetcher, useLocation } from "@remix-run/react";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { Button, ButtonLink } from "../../ui/controls/button";
import { Notice } from "../../ui/controls/notice";
import { Moment } from "../../ui/controls/time";
import type { CardStepData } from "../steps";

/** How long before its end a visitor is told, so that there is time to react (WCAG 2.2.1). */
export const WARNING_SECONDS = 10 * 60;
const LOOK_EVERY_MS = 5_000;

type Session = Pick<CardStepData, "expiresAt" | "endsAt" | "secondsLeft">;

/** Tells that the session is about to end, and lets the visitor keep it without leaving the page. */
export function SessionTime({ session }: { session: Session }) {
  const { expiresAt, endsAt } = session;
  const { pathname } = useLocation();
  const secondsLeft = useSecondsLeft(session);
  const extended = useIsLater(expiresAt);
  const until = <Moment time={new Date(expiresAt).toISOString()} />;
  if (secondsLeft <= 0) {
    return (
      <Notice key="ended" kind="destructive" title="Your sign-up has ended">
        <p>It was kept until {until}. Nothing was charged, and your details are still there.</p>
        <ButtonLink href={pathname} size="sm" className="mt-2 w-fit">
          Back to the form
        </ButtonLink>
      </Notice>
    );
  }
  if (secondsLeft <= WARNING_SECONDS) {
    return (
      <Notice key="ending" kind="progress" title="Your sign-up ends soon">
        <p>
          It is kept until {until}
          {canBeKept(session) ? "." : ", a day after it was begun, and cannot be kept longer."}
        </p>
        <KeepButton session={session} />
      </Notice>
    );
  }
  if (!extended) return null;
  return (
    <Notice key="extended" kind="success" title="Your sign-up is kept">
      It is kept until {until}
      {expiresAt === endsAt && ", a day after it was begun"}.
    </Notice>
  );
}

/** One action that loses nothing: what is typed in the card's fields stays, since the page does. */
export function KeepButton({ session }: { session: Session }) {
  const fetcher = useFetcher();
  const { pathname } = useLocation();
  if (!canBeKept(session)) return null;
  return (
    <fetcher.Form method="post" action={pathname} preventScrollReset onSubmit={focusNotices}>
      <input type="hidden" name="intent" value="extend" />
      <Button type="submit" variant="secondary" size="sm" className="mt-2" busy={fetcher.state !== "idle"}>
        Keep it for two more hours
      </Button>
    </fetcher.Form>
  );
}

/** Else the focus would be lost with the button. */
function focusNotices({ currentTarget }: FormEvent<HTMLFormElement>): void {
  currentTarget.closest<HTMLElement>(".notice-area")?.focus({ preventScroll: true });
}

/** Whether there is at least a minute to gain. */
function canBeKept({ expiresAt, endsAt }: Session): boolean {
  return endsAt - expiresAt >= 60_000;
}

/** Counted from the page's load, because the visitor's clock may be wrong. */
function useSecondsLeft({ secondsLeft, expiresAt }: Session): number {
  const [left, setLeft] = useState(secondsLeft);
  // biome-ignore lint/correctness/useExhaustiveDependencies: begins again when the session is kept longer
  useEffect(() => {
    const end = Date.now() + secondsLeft * 1000;
    const look = () => setLeft(Math.ceil((end - Date.now()) / 1000));
    look();
    const timer = setInterval(look, LOOK_EVERY_MS);
    // A device that slept did not count.
    document.addEventListener("visibilitychange", look);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", look);
    };
  }, [secondsLeft, expiresAt]);
  return left;
}

/** Whether the time has moved since the page was loaded. */
function useIsLater(time: number): boolean {
  const first = useRef(time);
  return time > first.current;
}
