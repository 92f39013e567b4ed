import {
  type ActionFunctionArgs,
  data,
  type HeadersFunction,
  type LoaderFunctionArgs,
  redirect,
} from "@remix-run/cloudflare";
import {
  type ClientActionFunctionArgs,
  type ClientLoaderFunctionArgs,
  type MetaFunction,
  type ShouldRevalidateFunction,
  useLocation,
  useRouteLoaderData,
} from "@remix-run/react";
import { useState } from "react";
import { company, titleOf } from "../company";
import { packageIdOf } from "../contract/fields/package-id";
import { TRIAL_DAYS } from "../contract/trial";
import { TOO_MANY_REQUESTS } from "../pipeline/guard/refusals.server";
import { isOverLimit } from "../shared/http/rate-limit";
import { rateLimitKeyOf } from "../shared/http/rate-limit-key";
import { signupTitle } from "../signup/page-title";
import { loadStep, sendForm } from "../signup/requests/requests";
import { resume, startOver } from "../signup/server/action/buttons.server";
import { refuse } from "../signup/server/action/replies.server";
import { submit } from "../signup/server/action/submit.server";
import { currentStep } from "../signup/server/current-step.server";
import { withCustomPlan } from "../signup/server/custom-plan.server";
import { readForm } from "../signup/server/form/posted-form.server";
import stylesheet from "../signup/signup.css";
import { SignupPage } from "../signup/signup-page";
import type { SignupReply, SignupStep } from "../signup/steps";
import { useServerErrorsOnly } from "../ui/document/served-page";
import { useHydrated } from "../ui/document/use-hydrated";
import { ErrorPage, UNEXPECTED_ERROR } from "../ui/layout/error-page";

export const handle = { hydrate: true, stylesheet };

export const meta: MetaFunction<typeof loader> = ({ data: step, error, location }) => [
  { title: error ? titleOf(UNEXPECTED_ERROR) : signupTitle(step, location.search) },
  { name: "description", content: `Start your ${TRIAL_DAYS}-day free trial of ${company.name}.` },
  { name: "robots", content: "noindex" },
];

/** Passes on Retry-After, because Remix drops an action's headers. */
export const headers: HeadersFunction = ({ actionHeaders }) => {
  const retryAfter = actionHeaders.get("Retry-After");
  return retryAfter === null ? new Headers() : { "Retry-After": retryAfter };
};

export async function loader({ request, params, context }: LoaderFunctionArgs) {
  const { data: current, init } = await currentStep(request, packageIdOf(request.url, params.id), context);
  const step = await withCustomPlan(current, context);
  // A request with a Content-Type renders the answer to a post, so the page's title has to say that something went wrong.
  return data<SignupStep & { failed: boolean }>({ ...step, failed: request.headers.has("Content-Type") }, init ?? {});
}

/** If anything fails, the form comes back with everything typed except the passwords. */
export async function action(posted: ActionFunctionArgs) {
  const { request, context } = posted;
  const { configuration, ip, log, sessions } = context;
  if (await isOverLimit(configuration.SIGNUP_RATE_LIMIT, rateLimitKeyOf(ip), log)) {
    // A form sent by script still has the typed values.
    const { fields } = context.route?.isData ? { fields: {} } : await readForm(request);
    return refuse(fields, TOO_MANY_REQUESTS, posted);
  }
  const { fields, problem } = await readForm(request);
  if (problem) return refuse(fields, problem, posted);
  const current = await sessions.read(request);
  switch (fields.intent) {
    case undefined:
      return submit(fields, current, posted);
    case "start-over":
      return startOver(posted, current, fields.sign_up);
    case "resume":
      return resume(fields, current, posted);
    default:
      // An unknown button comes from an earlier release's page.
      return redirect(new URL(request.url).pathname, 303);
  }
}

export const clientAction = ({ request, serverAction }: ClientActionFunctionArgs) =>
  sendForm(() => serverAction<SignupReply>(), request.url);

export const clientLoader = ({ request, serverLoader }: ClientLoaderFunctionArgs) =>
  loadStep(() => serverLoader<SignupStep>(), request);

/** Neither a reply nor a link within the page changes the step. Only a check of the step stays at a URL with a hash. */
export const shouldRevalidate: ShouldRevalidateFunction = (navigation) => {
  const { actionResult, currentUrl, nextUrl, defaultShouldRevalidate } = navigation;
  const isWithinPage = nextUrl.hash !== "" && nextUrl.href !== currentUrl.href;
  return actionResult === undefined && !isWithinPage && defaultShouldRevalidate;
};

/** For the site's own errors. The cookie keeps the sign-up, so trying the same page again continues it. */
export function ErrorBoundary() {
  useServerErrorsOnly();
  const { pathname, search } = useLocation();
  const site = useRouteLoaderData<{ requestId: string }>("root");
  // Later, the error has another request than the page.
  const [isOfPage] = useState(!useHydrated());
  return <ErrorPage requestId={isOfPage ? site?.requestId : undefined} tryAgain={pathname + search} />;
}

export default SignupPage;
