import { Form, useLocation, useNavigation } from "@remix-run/react";
import { Button, ButtonLink } from "../../ui/controls/button";
import { LiveRegion } from "../../ui/controls/notice";
import { type Notice, SIGNUP_CANCELED, SIGNUP_FINISHED } from "../notices";
import { SignupNotice } from "../signup-notice";
import type { ResumeStepData } from "../steps";

/** Shows whose sign-up a link leads to, before the visitor continues it. */
export function ResumeStep({ data, replyNotice }: { data: ResumeStepData; replyNotice: Notice | undefined }) {
  const { pathname, search } = useLocation();
  const busy = useNavigation().state !== "idle";
  const isCanceled = replyNotice?.title === SIGNUP_CANCELED.title;
  const isFinished = replyNotice?.title === SIGNUP_FINISHED.title;
  return (
    <div className="step-main">
      <LiveRegion role="alert">{replyNotice && <SignupNotice notice={replyNotice} takesFocus />}</LiveRegion>
      <div className="max-w-2xl text-lg [overflow-wrap:anywhere]">
        {isCanceled && (
          <ButtonLink href={pathname} className="w-fit">
            Start again
          </ButtonLink>
        )}
        {data.state === "ready" && !isCanceled && !isFinished && (
          <Form method="post" action={pathname + search}>
            <p>
              This link continues the sign-up of <Owner data={data} />. Continue only if it's yours.
            </p>
            <Button type="submit" size="lg" className="mt-6" name="intent" value="resume" busy={busy}>
              Continue this sign-up
            </Button>
          </Form>
        )}
        {data.state === "busy" && (
          <>
            <p>
              This link continues the sign-up of <Owner data={data} />, but another one is in progress in this browser.
              Finish that one first, or open the link on another device.
            </p>
            <ButtonLink href={pathname} className="mt-6 w-fit">
              Continue the current sign-up
            </ButtonLink>
          </>
        )}
        {data.state === "ended" && (
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

function Owner({ data: { company, email } }: { data: ResumeStepData }) {
  if (!company) return <>another device</>;
  return (
    <>
      <strong dir="auto">{company}</strong> ({email})
    </>
  );
}
