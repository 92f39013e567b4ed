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
  isRouteErrorResponse,
  type MetaFunction,
  type ShouldRevalidateFunction,
  useLocation,
  useRouteLoaderData,
} from "@remix-run/react";
import { company, titleOf } from "../company";
import { packageIdOf } from "../contract/fields/package-id";
import { TRIAL_DAYS } from "../contract/trial";
import { TOO_MANY_REQUESTS } from "../pipeline/guard/refusals.server";
import { findPlan } from "../pricing/plans/plan-list";
import { isOverLimit } from "../shared/limits/rate-limit";
import { networkKeyOf, rateLimitKeyOf } from "../shared/limits/rate-limit-key";
import { statusFor } from "../signup/create-outcome";
import { planPath, TURNSTILE_FIELD, toDetails, toRequest } from "../signup/form-schema";
import { loadStep, troubleOf } from "../signup/load-step";
import {
  CARD_PROCESSING,
  CONNECTION_FAILED,
  COOKIES_BLOCKED,
  noticeFor,
  ONE_MORE_STEP,
  planProblemOf,
  SIGNUP_FINISHED,
  submissionFailed,
} from "../signup/notices";
import { checkSession } from "../signup/server/check-session.server";
import { currentStep, ENDED, linkedSession } from "../signup/server/current-step.server";
import { parseForm, readForm, refused, returned, shownPriceIn } from "../signup/server/posted-form.server";
import { endOfSession } from "../signup/server/session.server";
import { type CurrentSession, isInProgress, isSession, isSessionOf, type SignupSession } from "../signup/session-state";
import stylesheet from "../signup/signup.css";
import { SignupPage } from "../signup/signup-page";
import type { SignupReply, SignupStep } from "../signup/steps";
import { ErrorPage } from "../ui/layout/error-page";

export const handle = { hydrate: true, stylesheet };

export const meta: MetaFunction<typeof loader> = ({ data: step }) => [
  { title: step?.failed ? `Error: ${titleOf(titleOfReply(step))}` : titleOf(stepTitle(step?.step)) },
  { name: "description", content: `Start your ${TRIAL_DAYS}-day free trial of ${company.name}.` },
  { name: "robots", content: "noindex" },
];

function stepTitle(step: SignupStep["step"] | undefined): string {
  if (step === "card" || step === "waiting") return "Sign up, step 2 of 2: card";
  if (step === "resume") return "Continue your sign-up";
  return step === "done" ? "Subscription successful" : "Sign up, step 1 of 2: details";
}

/** A refused form is shown even if the step has changed since. */
function titleOfReply({ step }: SignupStep): string {
  return stepTitle(step === "resume" ? "resume" : "form");
}

/** Passes on Retry-After, because Remix drops an action's headers. */
export const headers: HeadersFunction = ({ actionHeaders }) => {
  const retryAfter = actionHeaders.get("Retry-After");
  return retryAfter === null ? new Headers() : { "Retry-After": retryAfter };
};

export async function loader({ request, params, context }: LoaderFunctionArgs) {
  const { data: step, init } = await currentStep(request, packageIdOf(request.url, params.id), context);
  // A request with a Content-Type renders the answer to a post, so the page's title has to say that something went wrong.
  return data<SignupStep & { failed: boolean }>({ ...step, failed: request.headers.has("Content-Type") }, init ?? {});
}

/** Handles the form and the buttons. If anything fails, the form comes back with everything typed except the passwords. */
export async function action(posted: ActionFunctionArgs) {
  const { request, context } = posted;
  const { api, configuration, idempotencyKeyOf, ip, log, requestId, sessions, turnstile } = context;
  const { pathname: path } = new URL(request.url);
  const rateLimitKey = rateLimitKeyOf(ip);

  if (await isOverLimit(configuration.SIGNUP_RATE_LIMIT, rateLimitKey, log)) {
    log.add({ outcome: "refused", reason: TOO_MANY_REQUESTS.title });
    // A form sent by script still has the typed values.
    const { fields } = context.route?.isData ? { fields: {} } : await readForm(request);
    return reply(429, refused({ fields, problem: TOO_MANY_REQUESTS }), TOO_MANY_REQUESTS.headers);
  }

  const { fields, problem } = await readForm(request);
  if (problem) {
    log.add({ outcome: "refused", reason: problem.title });
    return reply(problem.status, refused({ fields, problem }));
  }

  const current = await sessions.read(request);
  if (fields.intent === "start-over")
    return startOver(posted, isSessionOf(current, fields.sign_up) || !isSession(current));
  if (fields.intent === "resume") return resume(posted, current);
  // An unknown button comes from an earlier release's page.
  if (fields.intent !== undefined) return redirect(path, 303);

  const submission = parseForm(fields);
  const form = returned(submission);
  if (submission.status !== "success") {
    log.info("signup_invalid", { fields: Object.keys(submission.error ?? {}) });
    return reply(422, { form });
  }

  const subscription = toRequest(submission.value);
  const planUrl = planPath(subscription.package_id) ?? path;
  const key = await idempotencyKeyOf(subscription, sessions.nonceIn(request));
  // The same form was posted again, for example by a double click.
  if (isSessionOf(current, key) && current.state !== "ended") return redirect(planUrl, 303);

  if (blocksCookies(request))
    return reply(422, { form, notice: COOKIES_BLOCKED }, { "Set-Cookie": sessions.newNonce() });

  if (await isOverLimit(configuration.SIGNUP_NETWORK_RATE_LIMIT, networkKeyOf(rateLimitKey), log)) {
    if (!turnstile) return reply(429, refused({ fields, problem: TOO_MANY_REQUESTS }), TOO_MANY_REQUESTS.headers);
    if (!(await turnstile.passes(fields[TURNSTILE_FIELD], log))) {
      log.warn("signup_challenged");
      const challenge = configuration.TURNSTILE_SITE_KEY ?? "";
      return reply(429, { form, notice: ONE_MORE_STEP, challenge }, TOO_MANY_REQUESTS.headers);
    }
  }

  const shownPriceCents = shownPriceIn(fields);
  const outcome = await api.create(subscription, { idempotencyKey: key, requestId, rateLimitKey, shownPriceCents });
  const plan = findPlan(subscription.package_id);
  const listPriceCents = plan?.shownPriceCents ?? undefined;
  if (outcome.kind !== "created") {
    const status = outcome.kind === "rejected" ? outcome.status : undefined;
    const line = { outcome: outcome.kind, status };
    if (status !== undefined && VISITORS_OWN.includes(status)) log.info("signup_refused", line);
    else log.warn("signup_failed", line);
    // A refused key stays refused, so a retry needs a new one.
    const nonce = status === 409 ? { "Set-Cookie": sessions.newNonce() } : undefined;
    const isListed = subscription.package_id === undefined || plan !== undefined;
    const planProblem = planProblemOf(outcome, isListed);
    const content = { form, notice: noticeFor(outcome), planProblem, listPriceCents, requestId };
    return reply(statusFor(outcome), content, nonce);
  }

  log.add({ signup: "created" });
  const { clientSecret, statusUrl } = outcome;
  const session: SignupSession = {
    ...{ key, requestId, clientSecret, statusUrl, state: "card", flash: "saved" },
    packageId: subscription.package_id ?? "",
    // If the page showed an earlier, higher price, the API uses the lower one.
    agreedPriceCents:
      listPriceCents === undefined ? undefined : Math.min(listPriceCents, shownPriceCents ?? listPriceCents),
    details: toDetails(subscription),
    expiresAt: endOfSession(outcome.expiresAt),
  };
  return seeOther(planUrl, session, posted);
}

/** The API's answers to a visitor's mistake. Any other failure may affect everyone. */
const VISITORS_OWN = [409, 422, 429];

function reply(status: number, content: SignupReply, headers: HeadersInit = {}) {
  return data(content, { status, headers });
}

async function seeOther(path: string, session: SignupSession, { context: { sessions } }: ActionFunctionArgs) {
  return redirect(path, { status: 303, headers: { "Set-Cookie": await sessions.write(session) } });
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
    return reply(422, { notice: COOKIES_BLOCKED }, { "Set-Cookie": context.sessions.newNonce() });
  const checked = await checkSession(linked, context);
  switch (checked.state) {
    case "card": {
      // The notices are about another device, so leave them out.
      const { flash, message: _, ...session } = checked;
      return seeOther(url.pathname, { ...session, flash: flash === "declined" ? undefined : flash }, posted);
    }
    case "waiting":
      if (checked.reason === "unreachable") return reply(503, { notice: CONNECTION_FAILED });
      return reply(409, { notice: CARD_PROCESSING });
    case "ended":
      return reply(409, { notice: ENDED[checked.why], isOver: true });
    case "done":
      return reply(409, { notice: SIGNUP_FINISHED, isOver: true });
  }
}

/** If a post fails, the visitor stays on the page and keeps everything typed. */
export async function clientAction({ serverAction }: ClientActionFunctionArgs): Promise<SignupReply> {
  try {
    return await serverAction<SignupReply>();
  } catch (thrown) {
    // A redirect.
    if (thrown instanceof Response) throw thrown;
    // The guard refused it.
    if (isRouteErrorResponse(thrown)) return { notice: noticeFor({ kind: "rejected", status: thrown.status }) };
    return { notice: troubleOf(thrown) === "offline" ? CONNECTION_FAILED : submissionFailed() };
  }
}

export const clientLoader = ({ request, serverLoader }: ClientLoaderFunctionArgs) =>
  loadStep(() => serverLoader<SignupStep>(), request.signal);

/** Neither a reply nor a link within the page changes the step, so nothing is reloaded. Offline, a reload would fail. */
export const shouldRevalidate: ShouldRevalidateFunction = ({ actionResult, nextUrl, defaultShouldRevalidate }) =>
  actionResult === undefined && nextUrl.hash === "" && defaultShouldRevalidate;

/** The cookie keeps the sign-up, so trying the same page again continues it. */
export function ErrorBoundary() {
  const { pathname, search } = useLocation();
  const site = useRouteLoaderData<{ requestId: string }>("root");
  return <ErrorPage requestId={site?.requestId} tryAgain={pathname + search} />;
}

export default SignupPage;
