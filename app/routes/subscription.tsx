import { type ActionFunctionArgs, data, type LoaderFunctionArgs } from "@remix-run/cloudflare";
import {
  type ClientActionFunctionArgs,
  isRouteErrorResponse,
  type MetaFunction,
  type ShouldRevalidateFunction,
} from "@remix-run/react";
import { company } from "../company";
import { packageIdOf } from "../contract/package-id";
import { CONNECTION_FAILED } from "../signup/notices";
import { currentStep } from "../signup/session/current-step.server";
import stylesheet from "../signup/signup.css";
import { SignupPage } from "../signup/signup-page";
import type { SignupReply } from "../signup/steps";

export const handle = { hydrate: true, stylesheet };

export const meta: MetaFunction<typeof loader> = ({ data: step }) => [
  { title: `${step?.step === "form" && step.failed ? "Error: " : ""}Sign up · ${company.name}` },
  { name: "description", content: `Start your 5-day free trial of ${company.name}.` },
  { name: "robots", content: "noindex" },
];

export function loader({ request, params, context }: LoaderFunctionArgs) {
  // Caches may store a path that looks like a file.
  if (params.id?.includes(".")) throw data(null, 404);
  return currentStep(request, packageIdOf(request.url, params.id), context);
}

/** The form was handled before Remix: app/signup/submit/submit-form.server.ts. */
export function action({ context: { formOutcome } }: ActionFunctionArgs) {
  if (formOutcome?.status === "reply") return data<SignupReply>(formOutcome.reply, formOutcome.httpStatus);
  if (formOutcome?.status === "redirect") return formOutcome.response;
  throw formOutcome?.error ?? new Error("A form reached its route without passing the pipeline");
}

/** When the site cannot be reached, the visitor stays on the form with everything typed. */
export async function clientAction({ serverAction }: ClientActionFunctionArgs): Promise<SignupReply> {
  try {
    return await serverAction<SignupReply>();
  } catch (error) {
    if (error instanceof Response || isRouteErrorResponse(error)) throw error;
    return { notice: CONNECTION_FAILED };
  }
}

/** A reply does not change the step, so nothing is loaded again; offline that would fail. */
export const shouldRevalidate: ShouldRevalidateFunction = ({ actionResult, defaultShouldRevalidate }) =>
  actionResult === undefined && defaultShouldRevalidate;

export default SignupPage;
