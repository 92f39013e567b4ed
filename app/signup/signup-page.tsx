import { Form, useActionData, useLoaderData, useLocation, useNavigation } from "@remix-run/react";
import {
  type ComponentProps,
  type ComponentType,
  createContext,
  lazy,
  type ReactNode,
  type RefObject,
  Suspense,
  useContext,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { findPlan, plans } from "../pricing/plans/plan-list";
import { Button } from "../ui/controls/button";
import { LiveRegion } from "../ui/controls/notice";
import { useSite } from "../ui/use-site";
import { PlanSummary, TrialPlan } from "./form/plan-summary";
import { SignupForm } from "./form/signup-form";
import type LaterStep from "./load/later-steps";
import { loadLaterSteps } from "./load/load-later-steps";
import { useDelay } from "./load/load-step";
import { OFFLINE, STEP_FAILED } from "./notices";
import { SignupNotice } from "./signup-notice";
import type { LaterStepData, SignUpName, SignupReply, SignupStep } from "./steps";

/** The server renders it at once; the browser loads it when needed. */
const LaterStepContext = createContext<ComponentType<ComponentProps<typeof LaterStep>>>(lazy(loadLaterSteps));

export const LaterStepProvider = LaterStepContext.Provider;

export function SignupPage() {
  const step = useLoaderData<SignupStep>();
  const reply = useActionData<SignupReply>();
  const heading = useHeadingFocus(step.step);
  const LaterStep = useContext(LaterStepContext);
  if (step.step === "form") return <FormStep step={step} reply={reply} headingRef={heading} />;
  return (
    <Frame {...frameOf(step)} headingRef={heading}>
      <Suspense>
        <LaterStep step={step} reply={reply} />
      </Suspense>
      {step.other && <OtherSignUp other={step.other} />}
    </Frame>
  );
}

function frameOf(step: LaterStepData): Pick<FrameProps, "heading" | "progress" | "packageId"> {
  switch (step.step) {
    case "card":
    case "waiting":
      return { heading: HEADING, progress: 2, packageId: step.packageId };
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
}: {
  step: Extract<SignupStep, { step: "form" }>;
  reply: SignupReply | undefined;
  headingRef: HeadingRef;
}) {
  // Other buttons have an intent.
  const submitting = useNavigation().formData?.has("intent") === false;
  const failure = submitting ? undefined : (reply?.notice ?? step.ended);
  // The form posts without the query, which may have named the plan.
  const sent = reply?.form?.initialValue?.package_id;
  const packageId = typeof sent === "string" ? sent : step.packageId;
  return (
    <Frame
      heading={HEADING}
      progress={1}
      headingRef={headingRef}
      intro="Join thousands of businesses improving their visibility in AI search."
      packageId={packageId}
    >
      <div className="step-main">
        <LiveRegion role="alert">
          {failure && <SignupNotice notice={failure} requestId={reply?.requestId} takesFocus />}
        </LiveRegion>
        {step.waiting && <WaitingSignup waiting={step.waiting} packageId={packageId} />}
        <section className="card p-6 sm:p-8" aria-labelledby="subscription-information">
          <h2 id="subscription-information" className="text-heading">
            Subscription Information
          </h2>
          <p className="mt-1 mb-6 text-muted">
            Complete your subscription by providing your contact and billing information.
          </p>
          <SignupForm
            packageId={packageId}
            formNonce={step.formNonce}
            draft={step.draft}
            madeFrom={step.madeFrom}
            reply={reply}
            submitting={submitting}
          />
        </section>
        {step.other && <OtherSignUp other={step.other} />}
      </div>
      <TrialPlan packageId={packageId} />
    </Frame>
  );
}

/** Offers the waiting sign-up for another plan. */
function WaitingSignup({ waiting, packageId }: { waiting: { packageId: string }; packageId: string }) {
  const all = plans(useSite());
  const started = findPlan(all, waiting.packageId);
  const path = waiting.packageId ? `/subscription/${waiting.packageId}` : "/subscription";
  return (
    <div className="notice notice-progress mb-6">
      <p className="font-bold">You started {started ? `a ${started.title}` : "another"} sign-up</p>
      <p className="text-sm">
        <a className="font-semibold underline" href={path}>
          Continue it
        </a>
        , or sign up for {findPlan(all, packageId)?.title ?? "this plan"} below.
      </p>
    </div>
  );
}

/** Another sign-up of this browser, possibly finished on another device by now. */
function OtherSignUp({ other: { key, company = "another company" } }: { other: SignUpName }) {
  const { pathname } = useLocation();
  return (
    <Form method="post" action={pathname} className="step-other notice notice-progress mt-6 [overflow-wrap:anywhere]">
      <p>You also started a sign-up for {company}.</p>
      <input type="hidden" name="sign_up" value={key} />
      <Button type="submit" variant="secondary" size="sm" className="mt-2" name="intent" value="switch">
        Continue with {company}
      </Button>
    </Form>
  );
}

interface FrameProps {
  heading: string;
  progress?: 1 | 2;
  headingRef: HeadingRef;
  intro?: string;
  packageId?: string;
  children: ReactNode;
}

function Frame({ heading, progress, headingRef, intro, packageId, children }: FrameProps) {
  return (
    <div className="wrap step-frame">
      <div className="[grid-area:head]">
        {progress && (
          <p className="mb-2 font-semibold text-muted">
            Step {progress} of 2: {progress === 1 ? "details" : "card"}
          </p>
        )}
        <h1 ref={headingRef.ref} tabIndex={-1} className="text-title outline-none">
          {heading}
        </h1>
        {intro && <p className="mt-3 max-w-2xl text-lg text-muted">{intro}</p>}
        <DelayNotice />
      </div>
      {packageId !== undefined && <PlanSummary packageId={packageId} withForm={progress === 1} />}
      {children}
    </div>
  );
}

function DelayNotice() {
  // A page that checks automatically must not take the focus.
  const isAnswer = useNavigation().state !== "idle";
  const delay = useDelay();
  if (!delay) return null;
  return (
    <LiveRegion role="alert" className="mt-4 -mb-4">
      <SignupNotice notice={delay.trouble === "offline" ? OFFLINE : STEP_FAILED} takesFocus={isAnswer}>
        <Button size="sm" variant="secondary" className="mt-2" onClick={delay.tryNow}>
          Try again
        </Button>
      </SignupNotice>
    </LiveRegion>
  );
}

interface HeadingRef {
  ref: RefObject<HTMLHeadingElement>;
}

function useHeadingFocus(step: SignupStep["step"]): HeadingRef {
  const ref = useRef<HTMLHeadingElement>(null);
  const [last, setLast] = useState({ step, moved: false });
  if (last.step !== step) setLast({ step, moved: true });
  // Depends on the object, to run for every change of step.
  useLayoutEffect(() => {
    if (!last.moved) return;
    // To the top, because WebKit scrolls the heading under the header.
    ref.current?.focus({ preventScroll: true });
    scrollTo({ top: 0, behavior: "instant" });
  }, [last]);
  return { ref };
}
