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
import { type Refusal, TOO_MANY_REQUESTS } from "../pipeline/guard/refusals.server";
import { isOverLimit } from "../shared/limits/rate-limit";
import { rateLimitKeyOf } from "../shared/limits/rate-limit-key";
import { statusFor } from "../signup/create-outcome";
import { planPath, toRequest } from "../signup/form-schema";
import {
  CARD_PROCESSING,
  CONNECTION_FAILED,
  COOKIES_BLOCKED,
  SIGNUP_FINISHED,
  withoutPasswords,
} from "../signup/notices";
import { signupTitle } from "../signup/page-title";
import { loadStep, sendForm } from "../signup/requests/requests";
import { currentStep, ENDED, linkedSession } from "../signup/server/current-step.server";
import { withCustomPlan } from "../signup/server/custom-plan.server";
import { acceptedSession, failureOf, logFailure } from "../signup/server/form/after-api-answer.server";
import { networkChallenge } from "../signup/server/form/network-challenge.server";
import { type PostedFields, parseForm, readForm, shownPriceIn } from "../signup/server/form/posted-form.server";
import { refused, returned } from "../signup/server/form/returned-form.server";
import { checkSession, withAgreedPrice } from "../signup/server/session/check-session.server";
import { type CurrentSession, isInProgress, isSession, isSessionOf, type SignupSession } from "../signup/session-state";
import stylesheet from "../signup/signup.css";
import { SignupPage } from "../signup/signup-page";
import type { SignupReply, SignupStep } from "../signup/steps";
import { useHydrated } from "../ui/document/use-hydrated";
import { ErrorPage, UNEXPECTED_ERROR } from "../ui/layout/error-page";

export const handle = { hydrate: true, stylesheet };

export const meta: MetaFunction<typeof loader> = ({ data: step, error }) => [
  { title: error ? titleOf(UNEXPECTED_ERROR) : signupTitle(step) },
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

/** Handles the form and the buttons. If anything fails, the form comes back with everything typed except the passwords. */
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
      return startOver(posted, isSessionOf(current, fields.sign_up) || !isSession(current));
    case "resume":
      return resume(posted, current);
    default:
      // An unknown button comes from an earlier release's page.
      return redirect(new URL(request.url).pathname, 303);
  }
}

/** A form or button that is over the sender's limit or that `readForm` refuses. It is not validated. A button has no form. */
function refuse(fields: PostedFields, problem: Refusal, posted: ActionFunctionArgs) {
  posted.context.log.add({ outcome: "refused", reason: problem.title });
  const form = fields.intent === undefined ? fields : {};
  return reply(problem.status, refused({ fields: form, problem }), posted, problem.headers);
}

/** Validates the form and forwards it to the API, unless the same form was posted before. */
async function submit(fields: PostedFields, current: CurrentSession, posted: ActionFunctionArgs) {
  const { request, context } = posted;
  const { api, idempotencyKeyOf, ip, log, requestId, sessions } = context;
  const submission = parseForm(fields);
  const form = returned(submission);
  if (submission.status !== "success") {
    log.info("signup_invalid", { fields: Object.keys(submission.error ?? {}) });
    return reply(422, { form }, posted);
  }

  const subscription = toRequest(submission.value);
  const planUrl = planPath(subscription.package_id) ?? new URL(request.url).pathname;
  const key = await idempotencyKeyOf(subscription, sessions.nonceIn(request));
  const shownPriceCents = shownPriceIn(fields);
  // The same form was posted again, for example by a double click. From a page with a lower price, only the API can agree to it.
  if (isSessionOf(current, key) && current.state !== "ended" && !isAbove(current, shownPriceCents))
    return redirect(planUrl, 303);

  if (blocksCookies(request))
    return reply(422, { form, notice: COOKIES_BLOCKED }, posted, { "Set-Cookie": sessions.newNonce() });

  const challenge = await networkChallenge(fields, context);
  if (challenge === "refused")
    return reply(429, refused({ fields, problem: TOO_MANY_REQUESTS }), posted, TOO_MANY_REQUESTS.headers);
  if (challenge) return reply(429, { form, ...challenge }, posted, TOO_MANY_REQUESTS.headers);

  const about = { idempotencyKey: key, requestId, rateLimitKey: rateLimitKeyOf(ip), shownPriceCents };
  const outcome = await api.create(subscription, about);
  if (outcome.kind !== "created") {
    logFailure(outcome, log);
    // A refused key stays refused, so a retry needs a new one.
    const isKeyRefused = outcome.kind === "rejected" && outcome.status === 409;
    const content = { form, requestId, ...failureOf(outcome, subscription) };
    return reply(statusFor(outcome), content, posted, isKeyRefused ? { "Set-Cookie": sessions.newNonce() } : {});
  }

  log.add({ signup: "created" });
  return seeOther(planUrl, acceptedSession(outcome, { key, requestId, subscription, shownPriceCents }), posted);
}

function reply(status: number, content: SignupReply, { context }: ActionFunctionArgs, headers: HeadersInit = {}) {
  const { form, notice } = content;
  // A page without scripts loses the passwords.
  const isEmptied = form && notice && !context.route?.isData;
  return data(isEmptied ? { ...content, notice: withoutPasswords(notice) } : content, { status, headers });
}

async function seeOther(path: string, session: SignupSession, { context: { sessions } }: ActionFunctionArgs) {
  return redirect(path, { status: 303, headers: { "Set-Cookie": await sessions.write(session) } });
}

/** True if a sign-up that needs a card costs more than the form showed. */
function isAbove(current: SignupSession, shownPriceCents = Number.POSITIVE_INFINITY): boolean {
  return current.state === "card" && (current.agreedPriceCents ?? 0) > shownPriceCents;
}

/** True if a browser on the site's own page sends no cookie at all. It would lose its sign-up. */
function blocksCookies({ headers }: Request): boolean {
  return headers.get("Sec-Fetch-Site") === "same-origin" && !headers.has("Cookie");
}

/** Empties the form. Changes no cookie if the page's sign-up is no longer the one in the cookie. */
function startOver({ request, context: { sessions } }: ActionFunctionArgs, isOwn: boolean) {
  const headers = new Headers();
  if (isOwn) for (const cookie of [sessions.clear(), sessions.newNonce()]) headers.append("Set-Cookie", cookie);
  return redirect(new URL(request.url).pathname, { status: 303, headers });
}

/** Continues a link's sign-up if it still needs a card and no other sign-up is in progress in this browser. */
async function resume(posted: ActionFunctionArgs, current: CurrentSession) {
  const { request, params, context } = posted;
  const url = new URL(request.url);
  const linked = await linkedSession(url, packageIdOf(request.url, params.id), context);
  // The page that the browser is sent to explains why.
  if (!linked || isInProgress(current, Date.now())) return redirect(url.pathname + url.search, 303);
  if (blocksCookies(request))
    return reply(422, { notice: COOKIES_BLOCKED }, posted, { "Set-Cookie": context.sessions.newNonce() });
  const priced = await withAgreedPrice(linked, context);
  if (!priced) return reply(503, { notice: CONNECTION_FAILED }, posted);
  const checked = await checkSession(priced, context);
  switch (checked.state) {
    case "card": {
      // The notices are about another device, so leave them out.
      const { flash, message: _, ...session } = checked;
      return seeOther(url.pathname, { ...session, flash: flash === "declined" ? undefined : flash }, posted);
    }
    case "waiting":
      if (checked.reason === "unreachable") return reply(503, { notice: CONNECTION_FAILED }, posted);
      return reply(409, { notice: CARD_PROCESSING }, posted);
    case "ended":
      return reply(409, { notice: ENDED[checked.why], isOver: true }, posted);
    case "done":
      return reply(409, { notice: SIGNUP_FINISHED, isOver: true }, posted);
  }
}

export const clientAction = ({ serverAction }: ClientActionFunctionArgs) => sendForm(() => serverAction<SignupReply>());

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
  const { pathname, search } = useLocation();
  const site = useRouteLoaderData<{ requestId: string }>("root");
  // Later, the error has another request than the page.
  const [isOfPage] = useState(!useHydrated());
  return <ErrorPage requestId={isOfPage ? site?.requestId : undefined} tryAgain={pathname + search} />;
}

export default SignupPage;
