import { useState } from "react";
import { signUpPath } from "../../contract/sign-up-path";
import { isCustom, packageIdProblem, shownPriceIn } from "../form-schema";
import type { FormStepData, SignupReply } from "../steps";
import type { PlanChoiceProps } from "./plan-choice";
import type { PlanOnPage } from "./plan-summary";

/** The form's plan: the link's or the posted one, until the visitor chooses another. */
export function useFormPlan(step: FormStepData, reply: SignupReply | undefined) {
  const [chosen, setChosen] = useState<string>();
  // The form posts without the query, so take a plan that was named there from the reply.
  const posted = reply?.form?.initialValue ?? {};
  const sent = String(posted.package_id ?? step.packageId);
  const linked = step.packageId.toLowerCase() === sent.toLowerCase() ? step : undefined;
  const sentProblem = reply?.planProblem ?? linked?.planProblem;
  // Beside another sign-up's card step, only the posted form knows a custom plan's price.
  const sentPriceCents =
    reply?.currentPriceCents ?? linked?.currentPriceCents ?? (isCustom(sent) ? shownPriceIn(posted) : undefined);

  const packageId = chosen ?? sent;
  // The server's message and price belong to the plan that was sent.
  const isSent = packageId === sent;
  const problem = (isSent ? sentProblem : undefined) ?? packageIdProblem(packageId);
  const currentPriceCents = isSent ? sentPriceCents : undefined;
  const choice: PlanChoiceProps = {
    packageId,
    problem,
    currentPriceCents,
    isOptional: step.packageId === "",
    customPlan: isCustom(sent) && !sentProblem ? { packageId: sent, currentPriceCents: sentPriceCents } : undefined,
    onChoose(packageId) {
      setChosen(packageId);
      // Not by the router, which would load the page's data again.
      history.replaceState(history.state, "", signUpPath(packageId));
    },
  };
  // A plan that cannot be chosen has no price.
  const plan: PlanOnPage = { packageId: problem ? "" : packageId, shownPriceCents: currentPriceCents, canChange: true };
  return { plan, choice, needsChoice: useWasEver(step.packageId === "" || plan.packageId === "") };
}

/** True from the first time on that `is` is true. */
function useWasEver(is: boolean): boolean {
  const [was, setWas] = useState(is);
  if (is && !was) setWas(true);
  return is || was;
}
