import { titleOf } from "../company";
import type { SignupStep } from "./steps";

/**
 * The page's title. `failed` is true if the page answers a post. A refused form is shown even if the step has changed since, and posts
 * without a query. Buttons post with one, and keep their step.
 * @param search the URL's query
 */
export function signupTitle(step: (SignupStep & { failed: boolean }) | undefined, search: string): string {
  if (!step?.failed) return titleOf(stepTitle(step?.step));
  return `Error: ${titleOf(stepTitle(search === "" ? "form" : step.step))}`;
}

function stepTitle(step: SignupStep["step"] | undefined): string {
  if (step === "card" || step === "waiting") return "Sign up, step 2 of 2: card";
  if (step === "resume") return "Continue your sign-up";
  return step === "done" ? "Subscription successful" : "Sign up, step 1 of 2: details";
}
