import { type ReactNode, type RefObject, useLayoutEffect, useRef, useState } from "react";
import { focusLater } from "../ui/controls/lent-focus";
import { type PlanOnPage, PlanSummary } from "./form/plan-summary";
import type { SignupStep } from "./steps";

export const SIGN_UP_HEADING = "Complete Your Subscription";

export interface SignupFrameProps extends Partial<PlanOnPage> {
  heading: string;
  progress?: 1 | 2;
  isDone?: boolean;
  headingRef: HeadingRef;
  intro?: string;
  trialEnd?: string;
  planChange?: ReactNode;
  children: ReactNode;
}

export function SignupFrame({
  heading,
  progress,
  isDone = false,
  headingRef,
  intro,
  packageId,
  terms,
  canChange,
  trialEnd,
  planChange,
  children,
}: SignupFrameProps) {
  return (
    <div
      className={`wrap step-frame ${packageId === undefined ? "without-plan" : ""} ${progress === 1 ? "form-frame" : ""}`}
    >
      <div className="[grid-area:head]">
        {progress && (
          <p id="progress" className="mb-2 font-semibold text-muted">
            {`Step ${progress} of 2: ${progress === 1 ? "details" : "card"}`}
          </p>
        )}
        {isDone && (
          <svg width="56" height="56" viewBox="0 0 56 56" className="mb-4" aria-hidden="true" focusable="false">
            <circle cx="28" cy="28" r="26" className="fill-success-soft stroke-success" strokeWidth="3" />
            <path d="m17 29 8 8 15-17" className="fill-none stroke-success" strokeWidth="4" strokeLinecap="round" />
          </svg>
        )}
        <h1
          ref={headingRef.ref}
          tabIndex={-1}
          className={`text-title outline-none ${isDone ? "done-heading" : ""}`}
          aria-describedby={progress && "progress"}
        >
          {heading}
        </h1>
        {intro && <p className="mt-3 max-w-2xl text-lg text-muted">{intro}</p>}
      </div>
      {packageId !== undefined && terms && (
        <PlanSummary packageId={packageId} terms={terms} canChange={canChange} trialEnd={trialEnd}>
          {planChange}
        </PlanSummary>
      )}
      <div className="contents">{children}</div>
    </div>
  );
}

export interface HeadingRef {
  ref: RefObject<HTMLHeadingElement>;
}

export function useHeadingFocus(step: SignupStep["step"]): HeadingRef {
  const ref = useRef<HTMLHeadingElement>(null);
  const [last, setLast] = useState({ step, moved: false });
  if (last.step !== step) setLast({ step, moved: true });
  // Depends on the object, so that it runs for every change of step.
  useLayoutEffect(() => {
    if (!last.moved) return;
    // Scroll to the top, because WebKit would scroll the heading under the header.
    scrollTo({ top: 0, behavior: "instant" });
    return focusLater(() => ref.current);
  }, [last]);
  return { ref };
}
