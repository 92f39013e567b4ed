import { useLocation, useNavigation } from "@remix-run/react";
import { useState } from "react";
import { signUpPath } from "../../contract/sign-up-path";
import { findPlan } from "../../pricing/plans/plan-list";
import { useHydrated } from "../../ui/document/use-hydrated";
import type { Notice } from "../notices";
import { type HeadingRef, SIGN_UP_HEADING, SignupFrame } from "../signup-frame";
import { FailureNotice } from "../signup-notice";
import type { FormStepData, SignupReply } from "../steps";
import { RouteLink } from "../waiting-controls";
import { ChangePlan, ComparePlans, isChangingPlan } from "./change-plan";
import { isValidation } from "./format-fields";
import { TrialPlan } from "./plan-summary";
import { FORM_ID } from "./signup-field";
import { SignupForm } from "./signup-form";
import { useFormPlan } from "./use-form-plan";

export function FormStep({
  step,
  reply,
  failure,
  headingRef,
}: {
  step: FormStepData;
  reply: SignupReply | undefined;
  failure: Notice | undefined;
  headingRef: HeadingRef;
}) {
  // Every other button sends an intent.
  const submitting = useNavigation().formData?.has("intent") === false;
  const latest = submitting ? undefined : (failure ?? step.ended);
  // A new attempt takes the old notice away, even if the browser refuses it.
  const [old, setOld] = useState<Notice>();
  const notice = latest === old ? undefined : latest;
  const { plan, choice, needsChoice } = useFormPlan(step, reply);
  const { packageId } = choice;
  const { search } = useLocation();
  return (
    <SignupFrame
      heading={SIGN_UP_HEADING}
      progress={1}
      headingRef={headingRef}
      intro="Join thousands of businesses improving their visibility in AI search."
      {...plan}
      planChange={
        needsChoice ? <ComparePlans /> : <ChangePlan choice={choice} formId={FORM_ID} isOpen={isChangingPlan(search)} />
      }
    >
      <div className="step-main">
        <FailureNotice notice={notice} requestId={reply?.requestId} />
        {step.openPlan !== undefined && !reply?.isOver && (
          <OpenSignUp openPlan={step.openPlan} packageId={packageId} hasDraft={step.draft !== undefined} />
        )}
        <section
          className="card p-6 sm:p-8"
          aria-labelledby="subscription-information"
          onSubmit={(event) => !isValidation(event) && setOld(notice)}
        >
          <h2 id="subscription-information" className="text-heading">
            Subscription Information
          </h2>
          <p className="mt-1 mb-6 text-muted">
            Complete your subscription by providing your contact and billing information.
          </p>
          <SignupForm
            packageId={packageId}
            plan={plan}
            choice={needsChoice ? choice : undefined}
            draft={step.draft}
            reply={reply}
            submitting={submitting}
          />
        </section>
      </div>
      <TrialPlan {...plan} />
    </SignupFrame>
  );
}

function OpenSignUp({ openPlan, packageId, hasDraft }: { openPlan: string; packageId: string; hasDraft: boolean }) {
  const title = findPlan(openPlan)?.title ?? "other";
  const hydrated = useHydrated();
  const isEdit = hasDraft && openPlan.toLowerCase() === packageId.toLowerCase();
  const wayBack = { className: "font-semibold underline", to: signUpPath(openPlan) };
  return (
    <div className="notice notice-progress mb-6">
      <p className="font-bold">{`Your ${title} sign-up still needs a card`}</p>
      <p className="text-sm">
        {isEdit ? (
          // The keys keep React from changing one sentence's text into the other's, which a translation has replaced.
          <span key="edit">
            We kept your details but not your password. Enter it again to change them, or{" "}
            <RouteLink {...wayBack}>go back to the card</RouteLink>.
          </span>
        ) : (
          <span key="other plan">
            <RouteLink {...wayBack}>Finish it</RouteLink>
            <span>{`, or sign up for ${findPlan(packageId)?.title ?? "this plan"}`}</span>
            {!hydrated && <span className="sr-only"> or another plan</span>}
            <span> below.</span>
            {hasDraft && <span> We kept your details but not your password.</span>}
          </span>
        )}
      </p>
    </div>
  );
}
