import { useState } from "react";
import { findPlan } from "../../pricing/plans/plan-list";
import { useHydrated } from "../../ui/document/use-hydrated";
import { useIsPromised } from "../../ui/use-site";
import type { CardStepData } from "../steps";
import { RouteLink } from "../waiting-controls";
import { PlanChoice, type PlanChoiceProps } from "./plan-choice";

const CHANGE_PLAN = "?edit=plan";

export const isChangingPlan = (search: string) => search === CHANGE_PLAN;

/** The radio buttons belong to the form, which they are not inside. */
export function ChangePlan({ choice, formId, isOpen }: { choice: PlanChoiceProps; formId: string; isOpen: boolean }) {
  // Also if the visitor opened it before React rendered the page from scratch.
  const [wasOpen] = useState(
    () => typeof document === "object" && document.querySelector(".change-plan[open]") !== null,
  );
  const hydrated = useHydrated();
  return (
    <details className="change-plan" open={isOpen || wasOpen}>
      <summary>Change plan</summary>
      <div>
        <PlanChoice {...choice} formId={formId} />
      </div>
      {!hydrated && <p className="text-muted">If you select another plan here, you sign up for that one.</p>}
      <ComparePlans />
    </details>
  );
}

export function ChangePlanLater({ packageId, details }: Pick<CardStepData, "packageId" | "details">) {
  const title = findPlan(packageId)?.title;
  const isEnded = useIsPromised("ends-sign-ups");
  return (
    <details className="change-plan">
      <summary>{packageId ? "Change plan" : "Choose a plan"}</summary>
      <p className="mt-2 text-muted">
        {`You’ll go back to the form${details ? ", where your details are filled in except your password" : ""}.`}
      </p>
      <p className="mt-2 text-muted">
        {`This${title ? ` ${title}` : ""} sign-up waits for its card until you submit the form. The new sign-up then replaces it${isEnded ? ", and you won’t be charged for this one" : ""}.`}
      </p>
      <p>
        <RouteLink to={CHANGE_PLAN} className="mt-2 inline-block py-1 font-semibold text-brand underline">
          {packageId ? "Choose another plan" : "Choose a plan"}
        </RouteLink>
      </p>
      <ComparePlans />
    </details>
  );
}

/** Opens a new tab, so that nothing typed is lost. */
export function ComparePlans() {
  return (
    <p>
      <a
        className="inline-block py-1 font-semibold text-brand underline"
        href="/pricing"
        target="_blank"
        rel="noopener"
      >
        Compare plans (new tab)
      </a>
    </p>
  );
}
