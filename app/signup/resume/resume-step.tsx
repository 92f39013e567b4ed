import { Form, useLocation, useNavigation } from "@remix-run/react";
import { counted } from "../../contract/counted";
import { Button, RouteButtonLink } from "../../ui/controls/button";
import { LINK_MINUTES } from "../durations";
import type { Notice } from "../notices";
import { FailureNotice } from "../signup-notice";
import type { ResumeStepData } from "../steps";

/** Asks if the visitor wants to continue a link's sign-up, or says why that is not possible. Never says whose it is. */
export function ResumeStep({
  state,
  isOver,
  failure,
}: Pick<ResumeStepData, "state"> & {
  /** True if the link's sign-up cannot be continued. */
  isOver: boolean;
  failure: Notice | undefined;
}) {
  const { pathname, search } = useLocation();
  const busy = useNavigation().state !== "idle";
  return (
    <div className="step-main">
      <FailureNotice notice={failure} />
      <div className="max-w-2xl text-lg">
        {state === "ready" && !isOver && (
          <Form method="post" action={pathname + search}>
            <p>This link leads to a sign-up that was started earlier. Continue only if it's yours.</p>
            <Button type="submit" size="lg" className="mt-6" name="intent" value="resume" busy={busy}>
              Continue this sign-up
            </Button>
          </Form>
        )}
        {state === "ready" && isOver && (
          <RouteButtonLink to={pathname} className="w-fit">
            Go to the sign-up
          </RouteButtonLink>
        )}
        {state === "busy" && (
          <>
            <p>
              This link leads to a sign-up that was started earlier, but another one is in progress in this browser.
              Finish that one first, or open the link on another device.
            </p>
            <RouteButtonLink to={pathname} className="mt-6 w-fit">
              Continue the current sign-up
            </RouteButtonLink>
          </>
        )}
        {state === "expired" && (
          <>
            <p>{`This link has expired. Links last ${counted(LINK_MINUTES, "minute")}. Get a new one where you started, or continue here.`}</p>
            <RouteButtonLink to={pathname} className="mt-6 w-fit">
              Go to the sign-up
            </RouteButtonLink>
          </>
        )}
      </div>
    </div>
  );
}
