import { useState } from "react";
import { signUpPath } from "../../contract/sign-up-path";
import { withSaid } from "../../contract/terms";
import { TRIAL_DAYS } from "../../contract/trial";
import { useSite } from "../../ui/use-site";
import { isCustom, packageIdProblem } from "../form-schema";
import type { FormStepData, SignupReply } from "../steps";
import type { PlanChoiceProps } from "./plan-choice";
import type { PlanOnPage } from "./plan-summary";

export function useFormPlan(step: FormStepData, reply: SignupReply | undefined) {
  const [chosen, setChosen] = useState<string>();
  // The form posts without the query, so take a plan that was named there from the reply.
  const posted = reply?.form?.initialValue ?? {};
  const sent = String(posted.package_id ?? step.packageId);
  const linked = step.packageId.toLowerCase() === sent.toLowerCase() ? step : undefined;
  const sentProblem = reply?.planProblem ?? linked?.planProblem;
  const shown = reply?.shownTerms ?? {};
  const sentPriceCents = reply?.currentTerms?.price_cents ?? shown.price_cents ?? linked?.currentPriceCents;
  const custom = isCustom(sent)
    ? { packageId: sent, currentPriceCents: sentPriceCents, planProblem: sentProblem }
    : step;

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
    customPlan: isCustom(custom.packageId) && !custom.planProblem ? custom : undefined,
    onChoose(packageId) {
      setChosen(packageId);
      // Not by the router, which would load the page's data again.
      history.replaceState(history.state, "", signUpPath(packageId));
    },
  };
  const own = { tax_added: useSite().automaticTax, trial_days: TRIAL_DAYS };
  const terms = { ...withSaid(withSaid(own, shown), reply?.currentTerms ?? {}), price_cents: currentPriceCents };
  const plan: PlanOnPage = { packageId: problem ? "" : packageId, terms, canChange: true };
  return {
    plan,
    choice,
    needsChoice: useWasEver(!step.packageId || step.planProblem !== undefined || !plan.packageId),
  };
}

function useWasEver(is: boolean): boolean {
  const [was, setWas] = useState(is);
  if (is && !was) setWas(true);
  return is || was;
}
