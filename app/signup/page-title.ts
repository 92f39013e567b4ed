import { titleOf } from "../company";
import type { SignupStep } from "./steps";

/** A form posts without a query, and is shown if refused, even if the step has changed. A button posts with one. */
export function signupTitle(step: (SignupStep & { failed: boolean }) | undefined, search: string): string {
  if (!step?.failed) return titleOf(stepTitle(step?.step));
  return `Error: ${titleOf(stepTitle(search === "" ? "form" : step.step))}`;
}

function stepTitle(step: SignupStep["step"] | undefined): string {
  if (step === "card" || step === "waiting") return "Sign up, step 2 of 2: card";
  if (step === "resume") return "Continue your sign-up";
  return step === "done" ? "Subscription successful" : "Sign up, step 1 of 2: details";
}
