import { Form, useLocation, useNavigation } from "@remix-run/react";
import { Button, ButtonLink } from "../../ui/controls/button";
import { NoticeArea } from "../../ui/controls/notice";
import type { Notice } from "../notices";
import { SignupNotice } from "../signup-notice";
import type { ResumeStepData } from "../steps";

/** Says whose sign-up a link leads to, before it is taken over. */
export function ResumeStep({ data, replyNotice }: { data: ResumeStepData; replyNotice: Notice | undefined }) {
  const { pathname, search } = useLocation();
  const busy = useNavigation().state !== "idle";
  return (
    <>
      <NoticeArea alert={replyNotice && <SignupNotice notice={replyNotice} />} />
      <div className="max-w-2xl text-lg [overflow-wrap:anywhere]">
        {data.state === "ready" && (
          <Form method="post" action={pathname + search}>
            <p>
              This link continues the sign-up of <Owner data={data} />. Go on only if it is yours.
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
              Go on with the one in progress
            </ButtonLink>
          </>
        )}
        {data.state === "ended" && (
          <>
            <p>
              This link has ended: it works for 30 minutes. Take a new one from the page where you began, or go on here.
            </p>
            <ButtonLink href={pathname} className="mt-6 w-fit">
              Go to the sign-up
            </ButtonLink>
          </>
        )}
      </div>
    </>
  );
}

function Owner({ data: { company, email } }: { data: ResumeStepData }) {
  if (!company) return <>another device</>;
  return (
    <>
      <strong>{company}</strong> ({email})
    </>
  );
}
