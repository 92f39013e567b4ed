import { useLocation } from "@remix-run/react";
import { RouteButtonLink } from "../../ui/controls/button";
import type { Notice } from "../notices";
import { FailureNotice } from "../signup-notice";
import type { WaitingStepData } from "../steps";

const MESSAGES = {
  processing: "Your bank is still processing the card.",
  unreachable: "We haven't been able to confirm your card yet. Nothing is lost.",
};

/** `useStepChecks` checks it again and again; without JavaScript, a meta tag in `root.tsx` reloads the page. */
export function WaitingStep({ reason, failure }: Pick<WaitingStepData, "reason"> & { failure: Notice | undefined }) {
  const { pathname, search } = useLocation();
  return (
    <div className="step-main">
      <FailureNotice notice={failure} />
      <div role="status" className="text-lg">
        {`${MESSAGES[reason]} This page checks automatically.`}
      </div>
      <RouteButtonLink to={pathname + search} className="mt-6 w-fit">
        Check now
      </RouteButtonLink>
    </div>
  );
}
