import { CardStep } from "./card/card-step";
import { WaitingStep } from "./card/waiting-step";
import { SuccessStep } from "./done/success-step";
import { ResumeStep } from "./resume/resume-step";
import type { LaterStepData, SignupReply } from "./steps";

/** What follows the form, in one file: from the card on, nothing depends on the connection of that moment. */
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
