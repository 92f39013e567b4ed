import { useLocation } from "@remix-run/react";
import { RouteButtonLink } from "../../ui/controls/button";
import type { Notice } from "../notices";
import { FailureNotice } from "../signup-notice";
import type { WaitingStepData } from "../steps";

const MESSAGES = {
  processing: "Your bank is still processing the card.",
  unreachable: "We haven't been able to confirm your card yet. Nothing is lost.",
};

/**
 * `useStepChecks` checks it again and again. The page is reloaded by a meta tag in `root.tsx` with JavaScript off, and by
 * `start-script.server.ts` where the scripts cannot run.
 */
export function WaitingStep({ reason, failure }: Pick<WaitingStepData, "reason"> & { failure: Notice | undefined }) {
  const { pathname, search } = useLocation();
  return (
    <div className="step-main">
      <FailureNotice notice={failure} />
      <div role="status" className="text-lg">
        <span>{`${MESSAGES[reason]} `}</span>
        <span>This page checks automatically.</span>
      </div>
      <RouteButtonLink to={pathname + search} className="mt-6 w-fit">
        Check now
      </RouteButtonLink>
    </div>
  );
}
