import { Form, useLocation, useNavigation } from "@remix-run/react";
import { Button, ButtonLink } from "../../ui/controls/button";
import { LiveRegion } from "../../ui/controls/notice";
import { LINK_MINUTES } from "../durations";
import { SignupNotice } from "../signup-notice";
import type { ResumeStepData, SignupReply } from "../steps";

/** Asks if the visitor wants to continue a link's sign-up, or says why that is not possible. Never says whose it is. */
export function ResumeStep({
  state,
  reply,
}: Pick<ResumeStepData, "state"> & { reply: Pick<SignupReply, "notice" | "isOver"> | undefined }) {
  const { pathname, search } = useLocation();
  const busy = useNavigation().state !== "idle";
  return (
    <div className="step-main">
      <LiveRegion role="alert">{reply?.notice && <SignupNotice notice={reply.notice} takesFocus />}</LiveRegion>
      <div className="max-w-2xl text-lg">
        {state === "ready" && !reply?.isOver && (
          <Form method="post" action={pathname + search}>
            <p>This link continues a sign-up that still needs a card. Continue only if it's yours.</p>
            <Button type="submit" size="lg" className="mt-6" name="intent" value="resume" busy={busy}>
              Continue this sign-up
            </Button>
          </Form>
        )}
        {state === "ready" && reply?.isOver && (
          <ButtonLink href={pathname} className="w-fit">
            Go to the sign-up
          </ButtonLink>
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
        {state === "expired" && (
          <>
            <p>{`This link has expired. Links last ${LINK_MINUTES} minutes. Get a new one where you started, or continue here.`}</p>
            <ButtonLink href={pathname} className="mt-6 w-fit">
              Go to the sign-up
            </ButtonLink>
          </>
        )}
      </div>
    </div>
  );
}
