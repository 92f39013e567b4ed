import { CardStep } from "../card/card-step";
import { WaitingStep } from "../card/waiting-step";
import { SuccessStep } from "../done/success-step";
import { ResumeStep } from "../resume/resume-step";
import type { LaterStepData, SignupReply } from "../steps";

/** All steps after the form in one file, so that a lost connection cannot block the next step. */
export default function LaterStep({ step, reply }: { step: LaterStepData; reply: SignupReply | undefined }) {
  switch (step.step) {
    case "card":
      return <CardStep key={step.clientSecret} data={step} reply={reply} />;
    case "waiting":
      return <WaitingStep {...step} />;
    case "resume":
      return <ResumeStep data={step} replyNotice={reply?.notice} />;
    case "done":
      return <SuccessStep data={step} replyNotice={reply?.notice} />;
  }
}
