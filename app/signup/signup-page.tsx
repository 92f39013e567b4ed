import { useLoaderData } from "@remix-run/react";
import { useState } from "react";
import { Announcer } from "./announcer";
import { CardStep } from "./card/card-step";
import { OffWhile } from "./card/off-while";
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
  return (
    <Announcer>
      <CurrentStep />
    </Announcer>
  );
}

function CurrentStep() {
  const step = useLoaderData<SignupStep>();
  const reply = useReply();
  const { lost, isAwaited } = useStepChecks(step);
  const failure = useFailure(reply, lost, isAwaited);
  const heading = useHeadingFocus(step.step);
  const [isCardSent, setCardSent] = useState(false);
  const form = formOf(step, reply);
  if (form) return <FormStep step={form} reply={reply} failure={failure} headingRef={heading} />;
  if (step.step === "form") return null;
  return (
    <SignupFrame {...frameOf(step, isCardSent)} headingRef={heading}>
      <LaterStep step={step} reply={reply} failure={failure} onCardSent={setCardSent} />
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
  reply: SignupReply | undefined;
  failure: Notice | undefined;
  onCardSent(isSent: boolean): void;
}

function LaterStep({ step, reply, failure, onCardSent }: LaterStepProps) {
  switch (step.step) {
    case "card":
      return <CardStep key={step.clientSecret} data={step} failure={failure} onSent={onCardSent} />;
    case "waiting":
      return <WaitingStep reason={step.reason} failure={failure} />;
    case "resume":
      return <ResumeStep state={step.state} currentPath={step.currentPath} reply={reply} failure={failure} />;
    case "done":
      return <SuccessStep data={step} failure={failure} />;
  }
}

function frameOf(step: LaterStepData, isCardSent: boolean): Omit<SignupFrameProps, "headingRef" | "children"> {
  switch (step.step) {
    case "card":
    case "waiting": {
      const { packageId, terms } = step;
      const planChange = step.step === "card" && (
        <OffWhile off={isCardSent}>
          <ChangePlanLater packageId={packageId} details={step.details} />
        </OffWhile>
      );
      const trialEnd = step.step === "card" ? { trialEnd: step.trialEnd } : {};
      return { heading: SIGN_UP_HEADING, progress: 2, packageId, terms, planChange, ...trialEnd };
    }
    case "resume":
      return { heading: "Continue your sign-up" };
    case "done":
      return { heading: "Subscription Successful!", isDone: true };
  }
}
