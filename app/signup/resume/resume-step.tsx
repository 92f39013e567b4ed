import { Form, useLocation, useNavigation } from "@remix-run/react";
import { Button, ButtonLink } from "../../ui/controls/button";
import { LiveRegion } from "../../ui/controls/notice";
import { type Notice, SIGNUP_CANCELED, SIGNUP_FINISHED } from "../notices";
import { SignupNotice } from "../signup-notice";
import type { ResumeStepData } from "../steps";

/** What became of a link's sign-up, or the question whether to continue it. It never says whose it is. */
export function ResumeStep({
  state,
  replyNotice,
}: Pick<ResumeStepData, "state"> & { replyNotice: Notice | undefined }) {
  const { pathname, search } = useLocation();
  const busy = useNavigation().state !== "idle";
  const notice = state === "canceled" ? SIGNUP_CANCELED : replyNotice;
  const isCanceled = notice?.title === SIGNUP_CANCELED.title;
  const isFinished = notice?.title === SIGNUP_FINISHED.title;
  return (
    <div className="step-main">
      <LiveRegion role="alert">{notice && <SignupNotice notice={notice} takesFocus />}</LiveRegion>
      <div className="max-w-2xl text-lg">
        {isCanceled && (
          <ButtonLink href={pathname} className="w-fit">
            Start again
          </ButtonLink>
        )}
        {state === "ready" && !isCanceled && !isFinished && (
          <Form method="post" action={pathname + search}>
            <p>This link continues a sign-up that still needs a card. Continue only if it's yours.</p>
            <Button type="submit" size="lg" className="mt-6" name="intent" value="resume" busy={busy}>
              Continue this sign-up
            </Button>
          </Form>
        )}
        {state === "busy" && (
          <>
            <p>
              This link continues a sign-up that still needs a card, but another one is in progress in this browser.
              Finish that one first, or open the link on another device.
            </p>
            <ButtonLink href={pathname} className="mt-6 w-fit">
              Continue the current sign-up
            </ButtonLink>
          </>
        )}
        {state === "ended" && (
          <>
            <p>This link has expired. Links last 30 minutes. Get a new one where you started, or continue here.</p>
            <ButtonLink href={pathname} className="mt-6 w-fit">
              Go to the sign-up
            </ButtonLink>
          </>
        )}
      </div>
    </div>
  );
}
