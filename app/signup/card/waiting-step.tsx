import { useLocation } from "@remix-run/react";
import { useAnnouncement } from "../announcer";
import type { Notice } from "../notices";
import { FailureNotice } from "../signup-notice";
import type { WaitingStepData } from "../steps";
import { RouteButtonLink } from "../waiting-controls";

const MESSAGES = {
  processing: "Your bank is still processing the card.",
  unreachable: "We haven’t been able to confirm your card yet. Nothing is lost.",
};

/** `useStepChecks` checks it. Without scripts, `root.tsx` (a meta tag) or `start-script.server.ts` reloads the page. */
export function WaitingStep({ reason, failure }: Pick<WaitingStepData, "reason"> & { failure: Notice | undefined }) {
  const { pathname, search } = useLocation();
  useAnnouncement(MESSAGES[reason]);
  return (
    <div className="step-main">
      <FailureNotice notice={failure} />
      <div className="text-lg">
        <span>{`${MESSAGES[reason]} `}</span>
        <span>This page checks automatically.</span>
      </div>
      <RouteButtonLink to={pathname + search} className="mt-6 w-fit">
        Check now
      </RouteButtonLink>
    </div>
  );
}
