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
import stylesheet from "../signup/signup.css";
import { SignupPage } from "../signup/signup-page";
import type { SignupReply } from "../signup/steps";
import { currentStep, holdBack, submitForm } from "../signup/submit/submit-form.server";

export const handle = { hydrate: true, stylesheet };

export const meta: MetaFunction<typeof loader> = ({ data: step }) => [
  { title: `${step?.step === "form" && step.failed ? "Error: " : ""}Sign up · ${company.name}` },
  { name: "description", content: `Start your 5-day free trial of ${company.name}.` },
  { name: "robots", content: "noindex" },
];

export function loader({ request, params, context }: LoaderFunctionArgs) {
  // An address that looks like a file could be kept by a cache as one.
  if (params.id?.includes(".")) throw data(null, 404);
  return currentStep(request, packageIdOf(request.url, params.id), context);
}

export async function action({ request, context }: ActionFunctionArgs) {
  const { pathname } = new URL(request.url);
  const { form = {} } = context;
  if (context.refusal) {
    context.formFailed = true;
    return data<SignupReply>(holdBack(form, context.refusal), context.refusal.status);
  }
  const session = await context.sessions.read(request);

  if (form.intent === "start-over") {
    return seeOther(pathname, context.sessions.clear());
  }
  if (typeof session === "object") {
    const next = form.intent === "card-set-up" ? ({ step: "done", account: session.account } as const) : session;
    return seeOther(pathname, await context.sessions.write(next));
  }
  const submitted = await submitForm(form, context);
  if (submitted.status === "error") {
    context.formFailed = true;
    return data<SignupReply>(submitted.reply, submitted.httpStatus);
  }
  return seeOther(pathname, await context.sessions.write(submitted.session));
}

/** The same address again, for what the session says now: a reload or a step back sends nothing twice. */
function seeOther(pathname: string, cookie: string): Response {
  return new Response(null, { status: 303, headers: { Location: pathname, "Set-Cookie": cookie } });
}

/** A submit that does not reach the site keeps the visitor, and everything typed, on the form. */
export async function clientAction({ serverAction }: ClientActionFunctionArgs): Promise<SignupReply> {
  try {
    return await serverAction<SignupReply>();
  } catch (thrown) {
    if (thrown instanceof Response || isRouteErrorResponse(thrown)) throw thrown;
    return { notice: CONNECTION_FAILED };
  }
}

/** A reply leaves the step as it is, so there is nothing to load again; offline it could not be. */
export const shouldRevalidate: ShouldRevalidateFunction = ({ actionResult, defaultShouldRevalidate }) =>
  actionResult === undefined && defaultShouldRevalidate;

export default SignupPage;
