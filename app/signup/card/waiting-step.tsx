import { useLocation } from "@remix-run/react";
import { RouteButtonLink } from "../../ui/controls/button";
import { useHydrated } from "../../ui/document/use-hydrated";
import type { Notice } from "../notices";
import { FailureNotice } from "../signup-notice";
import type { WaitingStepData } from "../steps";

const MESSAGES = {
  processing: "Your bank is still processing the card.",
  unreachable: "We haven't been able to confirm your card yet. Nothing is lost.",
};

const AUTOMATIC = "This page checks automatically.";

/**
 * `useStepChecks` checks it again and again; with JavaScript off, a meta tag in `root.tsx` reloads the page. The page says so only
 * where one of them does.
 */
export function WaitingStep({ reason, failure }: Pick<WaitingStepData, "reason"> & { failure: Notice | undefined }) {
  const { pathname, search } = useLocation();
  const hydrated = useHydrated();
  return (
    <div className="step-main">
      <FailureNotice notice={failure} />
      <div role="status" className="text-lg">
        <span>{`${MESSAGES[reason]} `}</span>
        {hydrated ? <span>{AUTOMATIC}</span> : <noscript>{AUTOMATIC}</noscript>}
      </div>
      <RouteButtonLink to={pathname + search} className="mt-6 w-fit">
        Check now
      </RouteButtonLink>
    </div>
  );
}
