import { type ReactNode, type RefObject, useLayoutEffect, useRef, useState } from "react";
import { type PlanOnPage, PlanSummary } from "./form/plan-summary";
import type { SignupStep } from "./steps";

/** The heading of the form and of the card's step. */
export const SIGN_UP_HEADING = "Complete Your Subscription";

export interface SignupFrameProps extends Partial<PlanOnPage> {
  heading: string;
  progress?: 1 | 2;
  headingRef: HeadingRef;
  intro?: string;
  planChange?: ReactNode;
  children: ReactNode;
}

export function SignupFrame({
  heading,
  progress,
  headingRef,
  intro,
  packageId,
  shownPriceCents,
  canChange,
  planChange,
  children,
}: SignupFrameProps) {
  return (
    <div className={`wrap step-frame ${packageId === undefined ? "without-plan" : ""}`}>
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
        <PlanSummary packageId={packageId} shownPriceCents={shownPriceCents} canChange={canChange}>
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
    ref.current?.focus({ preventScroll: true });
    scrollTo({ top: 0, behavior: "instant" });
  }, [last]);
  return { ref };
}
