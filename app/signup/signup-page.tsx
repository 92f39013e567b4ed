import { useActionData, useLoaderData, useNavigation } from "@remix-run/react";
import {
  type ComponentProps,
  type ComponentType,
  createContext,
  lazy,
  type ReactNode,
  type RefObject,
  Suspense,
  useContext,
  useEffect,
  useRef,
  useState,
} from "react";
import { findPlan, plans } from "../pricing/plans";
import { NoticeArea } from "../ui/controls/notice";
import { useSite } from "../ui/site";
import { PlanSummary } from "./form/plan-summary";
import { SignupForm } from "./form/signup-form";
import type LaterStep from "./later-steps";
import { loadLaterSteps } from "./load-later-steps";
import { PROCESSING } from "./notices";
import { SignupNotice } from "./signup-notice";
import type { FormStepData, LaterStepData, SignupReply, SignupStep } from "./steps";

/** The server renders it at once; in the browser it is loaded when it is needed. */
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
    </Frame>
  );
}

function frameOf(step: LaterStepData): Pick<FrameProps, "heading" | "progress" | "packageId"> {
  switch (step.step) {
    case "card":
      return { heading: HEADING, progress: 2, packageId: step.account?.packageId ?? "" };
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
  step: FormStepData;
  reply: SignupReply | undefined;
  headingRef: HeadingRef;
}) {
  const submitting = useNavigation().state !== "idle";
  const failure = submitting ? undefined : (reply?.notice ?? step.ended);
  // The form posts without the query, which may have named the package.
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
      <NoticeArea
        status={submitting && <SignupNotice notice={PROCESSING} />}
        alert={failure && <SignupNotice notice={failure} requestId={reply?.requestId} />}
      />
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
          reply={reply}
          submitting={submitting}
        />
      </section>
    </Frame>
  );
}

/** Offers a sign-up for another plan that waits for its card; the plan of the URL wins. */
function WaitingSignup({ waiting, packageId }: { waiting: { packageId: string }; packageId: string }) {
  const all = plans(useSite());
  const nameOf = (id: string) => findPlan(all, id)?.title ?? "another plan";
  const path = waiting.packageId ? `/subscription/${waiting.packageId}` : "/subscription";
  return (
    <div className="notice notice-progress mb-6">
      <p className="font-bold">You have a sign-up for {nameOf(waiting.packageId)} waiting for its card</p>
      <p className="text-sm">
        <a className="font-semibold underline" href={path}>
          Continue it
        </a>
        , or start {findPlan(all, packageId)?.title ?? "this plan"} below.
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
  children: ReactNode;
}

function Frame({ heading, progress, headingRef, intro, packageId, children }: FrameProps) {
  return (
    <div className="wrap py-12 sm:py-16">
      {progress && (
        <p className="mb-2 font-semibold text-muted">
          Step {progress} of 2: {progress === 1 ? "details" : "card"}
        </p>
      )}
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
}

function useHeadingFocus(step: SignupStep["step"]): HeadingRef {
  const ref = useRef<HTMLHeadingElement>(null);
  const [last, setLast] = useState({ step, moved: false });
  if (last.step !== step) setLast({ step, moved: true });
  // Depends on the object, not on `moved`, to run for every change of step.
  useEffect(() => {
    if (!last.moved) return;
    // To the top, because WebKit would scroll the heading under the header.
    ref.current?.focus({ preventScroll: true });
    scrollTo({ top: 0, behavior: "instant" });
  }, [last]);
  return { ref };
}
