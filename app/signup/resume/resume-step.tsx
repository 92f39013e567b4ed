import { Form, useLocation } from "@remix-run/react";
import { counted } from "../../contract/counted";
import { LINK_MINUTES } from "../durations";
import { COOKIE_SET_FIELD } from "../form-schema";
import type { Notice } from "../notices";
import { FailureNotice } from "../signup-notice";

import type { ResumeStepData, SignupReply } from "../steps";

import { IntentButton, RouteButtonLink } from "../waiting-controls";

/** Asks if the visitor wants to continue a link's sign-up, or says why that is not possible. Never says whose it is. */
export function ResumeStep({
  state,
  currentPath,
  reply,
  failure,
}: Pick<ResumeStepData, "state" | "currentPath"> & {
  reply: SignupReply | undefined;
  failure: Notice | undefined;
}) {
  const { pathname, search } = useLocation();
  const isOver = reply?.isOver === true;
  return (
    <div className="step-main">
      <FailureNotice notice={failure} />
      <div className="max-w-2xl text-lg">
        {state === "ready" && !isOver && (
          <Form method="post" action={pathname + search}>
            {reply?.isCookieSet && <input type="hidden" name={COOKIE_SET_FIELD} />}
            <p>This link leads to a sign-up that was started earlier. Continue only if it’s yours.</p>
            <IntentButton size="lg" className="mt-6" intent="resume">
              Continue this sign-up
            </IntentButton>
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
            <RouteButtonLink to={currentPath ?? pathname} className="mt-6 w-fit">
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
