import { type ActionFunctionArgs, data, type LoaderFunctionArgs } from "@remix-run/cloudflare";
import type {
  ClientActionFunctionArgs,
  ClientLoaderFunctionArgs,
  MetaFunction,
  ShouldRevalidateFunction,
} from "@remix-run/react";
import { company, titleOf } from "../company";
import { packageIdOf } from "../contract/fields/package-id";
import { TRIAL_DAYS } from "../contract/plans";
import { loadStep, troubleOf } from "../signup/load/load-step";
import { CONNECTION_FAILED, submissionFailed } from "../signup/notices";
import { currentStep } from "../signup/server/current-step.server";
import { handleForm } from "../signup/server/submit/submit-form.server";
import stylesheet from "../signup/signup.css";
import { SignupPage } from "../signup/signup-page";
import type { SignupReply, SignupStep } from "../signup/steps";

export const handle = { hydrate: true, stylesheet };

export const meta: MetaFunction<typeof loader> = ({ data: step }) => [
  { title: `${step?.step === "form" && step.failed ? "Error: " : ""}${titleOf(stepTitle(step?.step))}` },
  { name: "description", content: `Start your ${TRIAL_DAYS}-day free trial of ${company.name}.` },
  { name: "robots", content: "noindex" },
];

function stepTitle(step: SignupStep["step"] | undefined): string {
  if (step === "card" || step === "waiting") return "Sign up, step 2 of 2: card";
  if (step === "resume") return "Continue your sign-up";
  return step === "done" ? "Subscription successful" : "Sign up, step 1 of 2: details";
}

export function loader({ request, params, context }: LoaderFunctionArgs) {
  return currentStep(request, packageIdOf(request.url, params.id), context);
}

export async function action({ request, context }: ActionFunctionArgs) {
  const outcome = await handleForm(request, context);
  // The loader keeps a returned form's values.
  context.formOutcome = outcome;
  if (outcome.status === "reply") return data<SignupReply>(outcome.reply, outcome.httpStatus);
  if (outcome.status === "redirect") return outcome.response;
  throw outcome.error;
}

/** When a post fails, the visitor and everything typed stay on the page. */
export async function clientAction({ serverAction }: ClientActionFunctionArgs): Promise<SignupReply> {
  try {
    return await serverAction<SignupReply>();
  } catch (thrown) {
    // A redirect.
    if (thrown instanceof Response) throw thrown;
    return { notice: troubleOf(thrown) === "offline" ? CONNECTION_FAILED : submissionFailed() };
  }
}

export const clientLoader = ({ request, serverLoader }: ClientLoaderFunctionArgs) =>
  loadStep(() => serverLoader<SignupStep>(), request.signal);

/** A reply does not change the step, so nothing is reloaded; offline, that would fail. */
export const shouldRevalidate: ShouldRevalidateFunction = ({ actionResult, defaultShouldRevalidate }) =>
  actionResult === undefined && defaultShouldRevalidate;

export default SignupPage;
