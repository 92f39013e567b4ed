import { useLocation, useRevalidator } from "@remix-run/react";
import { useEffect } from "react";
import { ButtonLink } from "../../ui/controls/button";
import type { WaitingStepData } from "../steps";

const MESSAGES = {
  processing: "Your bank is still processing the card.",
  unreachable: "We haven't been able to confirm your card yet. Nothing is lost.",
};

/** Checks again every `REFRESH_SECONDS` (durations.ts); without JavaScript, a meta tag in `root.tsx` reloads the page. */
export function WaitingStep({ reason, refreshSeconds }: WaitingStepData) {
  const { pathname, search } = useLocation();
  const { state, revalidate } = useRevalidator();
  useEffect(() => {
    // Wait for a slow answer instead of asking again.
    if (state === "loading") return;
    const timer = setInterval(revalidate, refreshSeconds * 1000);
    return () => clearInterval(timer);
  }, [state, revalidate, refreshSeconds]);
  return (
    <div className="step-main">
      <div role="status" className="text-lg">
        {`${MESSAGES[reason]} This page checks automatically.`}
      </div>
      <ButtonLink href={pathname + search} className="mt-6 w-fit">
        Check now
      </ButtonLink>
    </div>
  );
}
