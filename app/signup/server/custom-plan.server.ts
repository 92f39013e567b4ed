import type { AppLoadContext } from "@remix-run/cloudflare";
import { isCustom } from "../form-schema";
import type { SignupStep } from "../steps";
import { PLAN_NOT_AVAILABLE } from "./notices.server";

/** Adds the API's price to the form of a plan that is not on the price list, or why the plan is not sold. */
export async function withCustomPlan<Step extends SignupStep>(
  step: Step,
  context: Pick<AppLoadContext, "api" | "requestId" | "log">,
): Promise<Step> {
  if (step.step !== "form" || !isCustom(step.packageId)) return step;
  const answer = await context.api.package(step.packageId, context);
  switch (answer?.status) {
    case "available":
      return { ...step, currentPriceCents: answer.price_cents };
    case "retired":
    case "unknown":
      return { ...step, planProblem: PLAN_NOT_AVAILABLE[answer.status] };
    case undefined:
      return step;
  }
}
