import { Link, useActionData, useLoaderData, useLocation, useNavigation } from "@remix-run/react";
import { type ReactNode, type RefObject, useLayoutEffect, useRef, useState } from "react";
import { signUpPath } from "../contract/sign-up-path";
import { findPlan } from "../pricing/plans/plan-list";
import { LiveRegion } from "../ui/controls/notice";
import { CardStep } from "./card/card-step";
import { WaitingStep } from "./card/waiting-step";
import { SuccessStep } from "./done/success-step";
import { ChangePlan, ChangePlanLater, ComparePlans, isChangingPlan } from "./form/change-plan";
import { KeepTypedAfterError, type Typed } from "./form/keep-typed-after-error";
import { PlanSummary, TrialPlan } from "./form/plan-summary";
import { FORM_ID, SignupForm } from "./form/signup-form";
import { isCustom, packageIdProblem } from "./form-schema";
import { ResumeStep } from "./resume/resume-step";
import { SignupNotice } from "./signup-notice";
import type { FormStepData, SignupReply, SignupStep } from "./steps";

type LaterStepData = Exclude<SignupStep, FormStepData>;

export function SignupPage() {
  const step = useLoaderData<SignupStep>();
  const reply = useActionData<SignupReply>();
  const heading = useHeadingFocus(step.step);
  const form = formOf(step, reply);
  if (form)
    return (
      <KeepTypedAfterError formId={FORM_ID}>
        {(typed) => <FormStep step={form} reply={reply} headingRef={heading} typed={typed} />}
      </KeepTypedAfterError>
    );
  if (step.step === "form") return null;
  return (
    <Frame {...frameOf(step)} headingRef={heading}>
      <LaterStep step={step} reply={reply} />
    </Frame>
  );
}

/** A form that comes back is shown even if the cookie has another state by now. */
function formOf(step: SignupStep, reply: SignupReply | undefined): FormStepData | undefined {
  if (step.step === "form") return step;
  if (!reply?.form) return undefined;
  return { step: "form", packageId: "", openPlan: step.step === "card" ? step.packageId : undefined };
}

function LaterStep({ step, reply }: { step: LaterStepData; reply: SignupReply | undefined }) {
  switch (step.step) {
    case "card":
      return <CardStep key={step.clientSecret} data={step} />;
    case "waiting":
      return <WaitingStep {...step} />;
    case "resume":
      return <ResumeStep state={step.state} reply={reply} />;
    case "done":
      return <SuccessStep data={step} />;
  }
}

function frameOf(step: LaterStepData): Omit<FrameProps, "headingRef" | "children"> {
  switch (step.step) {
    case "card":
    case "waiting": {
      const { packageId, agreedPriceCents: shownPriceCents } = step;
      const planChange = step.step === "card" && <ChangePlanLater packageId={packageId} details={step.details} />;
      return { heading: HEADING, progress: 2, packageId, shownPriceCents, planChange };
    }
    case "resume":
      return { heading: "Continue your sign-up" };
    case "done":
      return { heading: "Subscription Successful!" };
  }
}

const HEADING = "Complete Your Subscription";

function FormStep({
  step,
  reply,
  headingRef,
  typed,
}: {
  step: FormStepData;
  reply: SignupReply | undefined;
  headingRef: HeadingRef;
  typed: Typed | undefined;
}) {
  // Every other button sends an intent.
  const submitting = useNavigation().formData?.has("intent") === false;
  const failure = submitting ? undefined : (reply?.notice ?? step.ended);
  // The form posts without the query, so take a plan that was named there from the reply.
  const sent = String(reply?.form?.initialValue?.package_id ?? step.packageId);
  const typedPlan = typed?.values.package_id;
  const [chosen, setChosen] = useState(typedPlan === sent ? undefined : typedPlan);
  const packageId = chosen ?? sent;
  const linked = step.packageId.toLowerCase() === sent.toLowerCase() ? step : undefined;
  const planProblem = reply?.planProblem ?? linked?.planProblem;
  const priceCents = reply?.currentPriceCents ?? linked?.customPriceCents;
  // The server's message and price belong to the plan that was sent.
  const problem = (packageId === sent ? planProblem : undefined) ?? packageIdProblem(packageId);
  const currentPriceCents = packageId === sent ? priceCents : undefined;
  // A plan that cannot be chosen has no price.
  const plan = { packageId: problem ? "" : packageId, shownPriceCents: currentPriceCents };
  const isOptional = step.packageId === "";
  const { search } = useLocation();
  function onChoose(packageId: string) {
    setChosen(packageId);
    // Not by the router, which would load the page's data again.
    history.replaceState(history.state, "", signUpPath(packageId));
  }
  const customPlan = isCustom(sent) && !planProblem ? { packageId: sent, priceCents } : undefined;
  const choice = { packageId, problem, currentPriceCents, isOptional, customPlan, onChoose };
  const isMissing = useWasEver(step.packageId === "" || plan.packageId === "");
  return (
    <Frame
      heading={HEADING}
      progress={1}
      headingRef={headingRef}
      intro="Join thousands of businesses improving their visibility in AI search."
      {...plan}
      planChange={
        isMissing ? <ComparePlans /> : <ChangePlan choice={choice} formId={FORM_ID} isOpen={isChangingPlan(search)} />
      }
    >
      <div className="step-main">
        <LiveRegion role="alert">
          {failure && <SignupNotice notice={failure} requestId={reply?.requestId} takesFocus />}
        </LiveRegion>
        {step.openPlan !== undefined && (
          <OpenSignUp openPlan={step.openPlan} packageId={packageId} hasDraft={step.draft !== undefined} />
        )}
        <section className="card p-6 sm:p-8" aria-labelledby="subscription-information">
          <h2 id="subscription-information" className="text-heading">
            Subscription Information
          </h2>
          <p className="mt-1 mb-6 text-muted">
            Complete your subscription by providing your contact and billing information.
          </p>
          <SignupForm
            packageId={packageId}
            plan={plan}
            choice={isMissing ? choice : undefined}
            draft={step.draft}
            reply={reply}
            submitting={submitting}
            typed={typed}
          />
        </section>
      </div>
      <TrialPlan {...plan} />
    </Frame>
  );
}

/** True from the first time on that `is` is true. */
function useWasEver(is: boolean): boolean {
  const [was, setWas] = useState(is);
  if (is && !was) setWas(true);
  return is || was;
}

/** Leads back to this browser's sign-up from the form that edits it or from another plan's form. */
function OpenSignUp({ openPlan, packageId, hasDraft }: { openPlan: string; packageId: string; hasDraft: boolean }) {
  const title = findPlan(openPlan)?.title ?? "other";
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
            <Link {...wayBack}>go back to the card</Link>.
          </span>
        ) : (
          <span key="other plan">
            <Link {...wayBack}>Finish it</Link>
            <span>{`, or sign up for ${findPlan(packageId)?.title ?? "this plan"} below.`}</span>
            {hasDraft && <span> We kept your details but not your password.</span>}
          </span>
        )}
      </p>
    </div>
  );
}

interface FrameProps {
  heading: string;
  progress?: 1 | 2;
  headingRef: HeadingRef;
  intro?: string;
  packageId?: string;
  /** The price that the visitor agreed to, or the current price if it is not the price list's. */
  shownPriceCents?: number | undefined;
  planChange?: ReactNode;
  children: ReactNode;
}

function Frame({ heading, progress, headingRef, intro, packageId, shownPriceCents, planChange, children }: FrameProps) {
  return (
    <div className="wrap step-frame">
      <div className="[grid-area:head]">
        {progress && (
          <p className="mb-2 font-semibold text-muted">
            {`Step ${progress} of 2: ${progress === 1 ? "details" : "card"}`}
          </p>
        )}
        <h1 ref={headingRef.ref} tabIndex={-1} className="text-title outline-none">
          {heading}
        </h1>
        {intro && <p className="mt-3 max-w-2xl text-lg text-muted">{intro}</p>}
      </div>
      {packageId !== undefined && (
        <PlanSummary packageId={packageId} shownPriceCents={shownPriceCents}>
          {planChange}
        </PlanSummary>
      )}
      <div className="contents">{children}</div>
    </div>
  );
}

interface HeadingRef {
  ref: RefObject<HTMLHeadingElement>;
}

function useHeadingFocus(step: SignupStep["step"]): HeadingRef {
  const ref = useRef<HTMLHeadingElement>(null);
  const [last, setLast] = useState({ step, moved: false });
  if (last.step !== step) setLast({ step, moved: true });
  // Depends on the object, so that it runs for every change of step.
  useLayoutEffect(() => {
    if (!last.moved) return;
    // Scroll to the top, because WebKit would scroll the heading under the header.
    ref.current?.focus({ preventScroll: true });
    scrollTo({ top: 0, behavior: "instant" });
  }, [last]);
  return { ref };
}
