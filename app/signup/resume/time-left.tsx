import { useFetcher, useLocation } from "@remix-run/react";
import { type FormEvent, useEffect, useState } from "react";
import { Button, ButtonLink } from "../../ui/controls/button";
import { Notice } from "../../ui/controls/notice";
import { Moment } from "../../ui/controls/time";
import type { CardStepData } from "../steps";

/** Warns this long before the end, so that there is time to react (WCAG 2.2.1). */
export const WARNING_SECONDS = 10 * 60;
const LOOK_EVERY_MS = 5_000;

type Session = Pick<CardStepData, "key" | "expiresAt" | "endsAt" | "secondsLeft" | "kept">;

/** Warns that the session is about to end, and lets the visitor extend it without leaving the page. */
export function SessionTime({ session }: { session: Session }) {
  const { expiresAt, endsAt, kept } = session;
  const { pathname } = useLocation();
  const secondsLeft = useSecondsLeft(session);
  const until = <Moment time={new Date(expiresAt).toISOString()} />;
  if (secondsLeft <= 0) {
    return (
      <Notice key="ended" kind="destructive" title="Your sign-up has ended">
        <p>We kept it until {until}. You haven't been charged, and your details are still there.</p>
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
          We'll keep it until {until}
          {canBeKept(session) ? "." : ", 24 hours after you started, the longest we can keep it."}
        </p>
        <KeepButton session={session} />
      </Notice>
    );
  }
  if (!kept) return null;
  return (
    <Notice key="extended" kind="success" title="Your sign-up is kept">
      We'll keep it until {until}
      {expiresAt === endsAt && ", 24 hours after you started, the longest we can keep it"}.
    </Notice>
  );
}

/** Extends the session without leaving the page, so that the card's fields keep their values. */
export function KeepButton({ session }: { session: Session }) {
  const fetcher = useFetcher();
  const { pathname } = useLocation();
  if (!canBeKept(session)) return null;
  return (
    <fetcher.Form method="post" action={pathname} preventScrollReset onSubmit={focusNotices}>
      <input type="hidden" name="intent" value="extend" />
      <input type="hidden" name="sign_up" value={session.key} />
      <Button type="submit" variant="secondary" size="sm" className="mt-2" busy={fetcher.state !== "idle"}>
        Keep for 2 more hours
      </Button>
    </fetcher.Form>
  );
}

/** Otherwise the focus is lost with the removed button. */
function focusNotices({ currentTarget }: FormEvent<HTMLFormElement>): void {
  currentTarget.closest<HTMLElement>(".live-region")?.focus({ preventScroll: true });
}

/** True if at least a minute can be gained. */
function canBeKept({ expiresAt, endsAt }: Session): boolean {
  return endsAt - expiresAt >= 60_000;
}

/** Counted from the page's load, because the visitor's clock may be wrong. */
function useSecondsLeft({ secondsLeft, expiresAt }: Session): number {
  const [left, setLeft] = useState(secondsLeft);
  // biome-ignore lint/correctness/useExhaustiveDependencies: restarts when the session is extended
  useEffect(() => {
    const end = Date.now() + secondsLeft * 1000;
    const look = () => setLeft(Math.ceil((end - Date.now()) / 1000));
    look();
    const timer = setInterval(look, LOOK_EVERY_MS);
    // Timers stop while a device sleeps.
    document.addEventListener("visibilitychange", look);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", look);
    };
  }, [secondsLeft, expiresAt]);
  return left;
}
