import { useLoaderData } from "@remix-run/react";
import { CardStep } from "./card/card-step";
import { WaitingStep } from "./card/waiting-step";
import { SuccessStep } from "./done/success-step";
import { ChangePlanLater } from "./form/change-plan";
import { FormStep } from "./form/form-step";
import type { Notice } from "./notices";
import { useStepChecks } from "./requests/step-checks";
import { useFailure, useReply } from "./requests/use-failure";
import { ResumeStep } from "./resume/resume-step";
import { SIGN_UP_HEADING, SignupFrame, type SignupFrameProps, useHeadingFocus } from "./signup-frame";
import type { FormStepData, SignupReply, SignupStep } from "./steps";

type LaterStepData = Exclude<SignupStep, FormStepData>;

export function SignupPage() {
  const step = useLoaderData<SignupStep>();
  const reply = useReply();
  const { lost, isAwaited } = useStepChecks(step);
  const failure = useFailure(reply, lost, isAwaited);
  const heading = useHeadingFocus(step.step);
  const form = formOf(step, reply);
  if (form) return <FormStep step={form} reply={reply} failure={failure} headingRef={heading} />;
  if (step.step === "form") return null;
  return (
    <SignupFrame {...frameOf(step)} headingRef={heading}>
      <LaterStep step={step} isOver={reply?.isOver === true} failure={failure} />
    </SignupFrame>
  );
}

/** A form that comes back is shown even if the cookie has another state by now. */
function formOf(step: SignupStep, reply: SignupReply | undefined): FormStepData | undefined {
  if (step.step === "form") return step;
  if (!reply?.form) return undefined;
  return { step: "form", packageId: "", openPlan: step.step === "card" ? step.packageId : undefined };
}

interface LaterStepProps {
  step: LaterStepData;
  /** True if a link's sign-up cannot be continued. */
  isOver: boolean;
  /** What went wrong at the visitor's last attempt. */
  failure: Notice | undefined;
}

function LaterStep({ step, isOver, failure }: LaterStepProps) {
  switch (step.step) {
    case "card":
      return <CardStep key={step.clientSecret} data={step} failure={failure} />;
    case "waiting":
      return <WaitingStep reason={step.reason} failure={failure} />;
    case "resume":
      return <ResumeStep state={step.state} isOver={isOver} failure={failure} />;
    case "done":
      return <SuccessStep data={step} failure={failure} />;
  }
}

function frameOf(step: LaterStepData): Omit<SignupFrameProps, "headingRef" | "children"> {
  switch (step.step) {
    case "card":
    case "waiting": {
      const { packageId, agreedPriceCents: shownPriceCents } = step;
      const planChange = step.step === "card" && <ChangePlanLater packageId={packageId} details={step.details} />;
      return { heading: SIGN_UP_HEADING, progress: 2, packageId, shownPriceCents, planChange };
    }
    case "resume":
      return { heading: "Continue your sign-up" };
    case "done":
      return { heading: "Subscription Successful!" };
  }
}
