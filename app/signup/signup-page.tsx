import { useActionData, useLoaderData, useNavigation } from "@remix-run/react";
import { type ReactNode, type RefObject, useEffect, useRef, useState } from "react";
import { NoticeArea } from "../ui/notice";
import { CardStep } from "./card/card-step";
import { SuccessStep } from "./done/success-step";
import { PlanSummary } from "./form/plan-summary";
import { SignupForm } from "./form/signup-form";
import { CARD_SUCCESSFUL, PROCESSING, SUBSCRIPTION_SUCCESSFUL } from "./notices";
import { SignupNotice } from "./signup-notice";
import type { FormStepData, SignupReply, SignupStep } from "./steps";

export function SignupPage() {
  const step = useLoaderData<SignupStep>();
  const reply = useActionData<SignupReply>();
  const heading = useHeadingFocus(step.step);
  if (step.step === "done") {
    return (
      <Frame heading="Subscription Successful!" headingRef={heading}>
        <NoticeArea
          status={
            heading.moved &&
            [CARD_SUCCESSFUL, SUBSCRIPTION_SUCCESSFUL].map((notice) => (
              <SignupNotice key={notice.title} notice={notice} />
            ))
          }
          alert={reply?.notice && <SignupNotice notice={reply.notice} />}
        />
        <SuccessStep account={step.account} />
      </Frame>
    );
  }
  if (step.step === "card") {
    return (
      <Frame heading="Complete Your Subscription" headingRef={heading} packageId={step.account.packageId ?? ""}>
        <CardStep data={step} replyNotice={reply?.notice} />
      </Frame>
    );
  }
  return <FormStep step={step} reply={reply} headingRef={heading} />;
}

function FormStep({
  step,
  reply,
  headingRef,
}: {
  step: FormStepData;
  reply: SignupReply | undefined;
  headingRef: HeadingRef;
}) {
  const submitting = useNavigation().state !== "idle";
  const failure = submitting ? undefined : reply?.notice;
  // The form posts without the query, which may have named the package.
  const sent = reply?.form?.initialValue?.package_id;
  const packageId = typeof sent === "string" ? sent : step.packageId;
  return (
    <Frame
      heading="Complete Your Subscription"
      headingRef={headingRef}
      intro="Join thousands of businesses improving their visibility in AI search."
      packageId={packageId}
    >
      <NoticeArea
        status={submitting && <SignupNotice notice={PROCESSING} />}
        alert={failure && <SignupNotice notice={failure} />}
      />
      <section className="card p-6 sm:p-8" aria-labelledby="subscription-information">
        <h2 id="subscription-information" className="text-heading">
          Subscription Information
        </h2>
        <p className="mt-1 mb-6 text-muted">
          Complete your subscription by providing your contact and billing information.
        </p>
        <SignupForm packageId={packageId} formNonce={step.formNonce} reply={reply} submitting={submitting} />
      </section>
    </Frame>
  );
}

interface FrameProps {
  heading: string;
  headingRef: HeadingRef;
  intro?: string;
  packageId?: string;
  children: ReactNode;
}

function Frame({ heading, headingRef, intro, packageId, children }: FrameProps) {
  return (
    <div className="wrap py-12 sm:py-16">
      <h1 ref={headingRef.ref} tabIndex={-1} className="text-title outline-none">
        {heading}
      </h1>
      {intro && <p className="mt-3 max-w-2xl text-lg text-muted">{intro}</p>}
      <div className="mt-8 grid items-start gap-8 lg:grid-cols-[minmax(0,1fr)_20rem]">
        <div className="min-w-0">{children}</div>
        {packageId !== undefined && <PlanSummary packageId={packageId} />}
      </div>
    </div>
  );
}

interface HeadingRef {
  ref: RefObject<HTMLHeadingElement>;
  /** Whether the step changed without a page load. */
  moved: boolean;
}

function useHeadingFocus(step: SignupStep["step"]): HeadingRef {
  const ref = useRef<HTMLHeadingElement>(null);
  const [last, setLast] = useState({ step, moved: false });
  if (last.step !== step) setLast({ step, moved: true });
  // Depends on the object, not on `moved`, to run for every change of step.
  useEffect(() => {
    if (last.moved) ref.current?.focus();
  }, [last]);
  return { ref, moved: last.moved };
}
