import { type AppLoadContext, data, redirect } from "@remix-run/cloudflare";
import { countryCode } from "../../contract/fields/country";
import { formatPhone } from "../../contract/fields/phone";
import { signUpPath } from "../../contract/sign-up-path";
import { trialEndOf } from "../../contract/trial";
import { REFRESH_SECONDS } from "../durations";
import {
  type CurrentSession,
  isInProgress,
  isPastItsTime,
  isSessionOf,
  isUnfinished,
  type SessionIn,
  type SignupSession,
  type UnfinishedSession,
} from "../session-state";
import type { SignupStep } from "../steps";
import { STRIPE_JS_URL } from "../stripe-js";
import { SESSION_EXPIRED, SESSION_UNREADABLE, SIGNUP_CANCELED } from "./notices.server";
import { checkSession, withAgreedPrice } from "./session/check-session.server";
import { resumeLink } from "./session/resume-link.server";

const RESUME = "resume";
const RETURN = "return";
/** The query parameter in which Stripe adds the client secret to the return URL. */
const RETURNED_SECRET = "setup_intent_client_secret";

/**
 * The page's step, and the cookie if it changes. The cookie's sign-up is checked with Stripe and the API (`nextState` in
 * session-state.ts) while it is waiting, and after its time for a card is over:
 *
 * | cookie, after a check       | URL                      | page                                                     |
 * | --------------------------- | ------------------------ | -------------------------------------------------------- |
 * | none                        | plain                    | form                                                     |
 * | unreadable                  | plain                    | form, "could not be opened"; cookie cleared              |
 * | card                        | its plan or none         | card                                                     |
 * | card, not checked           | `?edit`, or another plan | form, filled in, with a way back to the card             |
 * | waiting                     | any                      | waiting                                                  |
 * | ended                       | any                      | form, filled in, with the reason                         |
 * | done                        | its plan or none         | done                                                     |
 * | done, not checked           | another plan             | form                                                     |
 * | sign-up of the token        | `?return=T`              | checked, then 303 to the clean path                      |
 * | none, or a newer sign-up    | `?return=T`              | the state of the token's sign-up, without personal data  |
 * | the link's, unless ended    | `?resume=L`              | 303 to the clean path                                    |
 * | anything else               | `?resume=L`              | question: ready, busy or expired                         |
 * | any                         | with Stripe's secret     | 303 to the same path, with `?return=T` if it was there   |
 */
export async function currentStep(request: Request, packageId: string, context: AppLoadContext) {
  const { sessions, resumeLinks } = context;
  const { pathname: path, searchParams: query } = new URL(request.url);
  const [returnToken, resumeToken] = [query.get(RETURN), query.get(RESUME)];

  if (query.has(RETURNED_SECRET)) {
    const kept = returnToken === null ? "" : `?${RETURN}=${encodeURIComponent(returnToken)}`;
    throw redirect(path + kept, 303);
  }
  const current = await sessions.read(request);

  if (returnToken !== null) {
    const returned = await sessions.fromReturnToken(returnToken);
    if (!returned) throw redirect(path, 303);
    if (!isSessionOf(current, returned.key)) return data(outcome(await checkSession(returned, context), current));
    const checked = isUnfinished(current) ? await checkSession(current, context) : undefined;
    throw redirect(path, { status: 303, headers: await cookies(checked, context) });
  }

  if (resumeToken !== null) {
    const linked = await resumeLinks.fromToken(resumeToken, packageId);
    if (!linked) return data<SignupStep>({ step: "resume", state: "expired" });
    if (isSessionOf(current, linked.key) && current.state !== "ended") throw redirect(path, 303);
    return data(question(current));
  }

  if (current.state === "waiting" || (current.state === "card" && isPastItsTime(current, Date.now()))) {
    const checked = await checkSession(current, context);
    // Show the card's outcome even if the URL has another plan. Another plan can start only after the sign-up has ended.
    const visit = { packageId: checked.state === "ended" ? packageId : "", isEdit: false };
    return data(await stepOf(checked, visit, context), { headers: await cookies(withoutFlash(checked), context) });
  }
  const step = await stepOf(current, { packageId, isEdit: query.has("edit") }, context);
  const headers = await cookies("flash" in current ? withoutFlash(current) : undefined, context);
  if (current.state === "unreadable") headers.append("Set-Cookie", sessions.clear());
  return data(step, { headers });
}

interface Visit {
  /** The plan in the URL; empty without one. */
  packageId: string;
  isEdit: boolean;
}

async function stepOf(current: CurrentSession, visit: Visit, context: AppLoadContext): Promise<SignupStep> {
  const isAnotherPlan = isOfAnotherPlan(current, visit.packageId);
  switch (current.state) {
    case "none":
      return { step: "form", packageId: visit.packageId };
    case "unreadable":
      return { step: "form", packageId: visit.packageId, ended: SESSION_UNREADABLE };
    case "card": {
      if (!isAnotherPlan && !visit.isEdit) return cardStep(await priced(current, context), context);
      const packageId = visit.packageId || current.packageId;
      return { step: "form", packageId, draft: draftOf(current), openPlan: current.packageId };
    }
    case "waiting":
      return waitingStep(current);
    case "ended": {
      const packageId = visit.packageId || current.packageId;
      return { step: "form", packageId, draft: draftOf(current), ended: ENDED[current.why] };
    }
    case "done": {
      if (isAnotherPlan) return { step: "form", packageId: visit.packageId };
      const { key, requestId, packageId, agreedPriceCents, details, startedAt, trialEnd, card, flash } = current;
      return { step: "done", key, requestId, packageId, agreedPriceCents, details, startedAt, trialEnd, card, flash };
    }
  }
}

/** The notice on the form after a sign-up has ended. */
export const ENDED = { expired: SESSION_EXPIRED, canceled: SIGNUP_CANCELED, "too old": SESSION_UNREADABLE };

/** On a device that continued a sign-up, which has no details, the first device may have lowered the price since. */
async function priced(current: SessionIn<"card">, context: AppLoadContext): Promise<SessionIn<"card">> {
  if (current.details !== undefined) return current;
  return { ...current, ...(await withAgreedPrice(current, context)) };
}

async function cardStep(current: SessionIn<"card">, context: AppLoadContext): Promise<SignupStep> {
  const { sessions, resumeLinks, configuration } = context;
  const { state: _, statusUrl: __, ...shown } = current;
  return {
    ...shown,
    step: "card",
    publishableKey: configuration.STRIPE_PUBLISHABLE_KEY,
    stripeJsUrl: configuration.STRIPE_JS_URL ?? STRIPE_JS_URL,
    returnPath: `${signUpPath(current.packageId)}?${RETURN}=${await sessions.toReturnToken(current)}`,
    countryCode: current.details?.country === undefined ? undefined : countryCode(current.details.country),
    trialEnd: trialEndOf(new Date().toISOString()),
    resumeLink: current.details && (await resumeLink(current, resumeLinks, configuration.SITE_URL)),
  };
}

function waitingStep({ packageId, agreedPriceCents, reason }: SessionIn<"waiting">): SignupStep {
  return { step: "waiting", packageId, agreedPriceCents, reason, refreshSeconds: REFRESH_SECONDS };
}

function draftOf({ details }: SignupSession): Record<string, string> | undefined {
  return details && { ...details, phone: formatPhone(details.phone ?? "") };
}

function isOfAnotherPlan(current: CurrentSession, packageId: string): boolean {
  if (packageId === "" || !("packageId" in current)) return false;
  return packageId.toLowerCase() !== current.packageId.toLowerCase();
}

/** The sign-up without the notices that are shown only once. */
function withoutFlash(session: SignupSession): SignupSession {
  switch (session.state) {
    case "card":
      return { ...session, flash: undefined, message: undefined };
    case "done":
      return { ...session, flash: undefined };
    default:
      return session;
  }
}

/** The outcome of a sign-up that is not in this browser's cookie. Nothing in it says whose sign-up it is. */
function outcome(session: SignupSession, current: CurrentSession): SignupStep {
  const { packageId, agreedPriceCents } = session;
  switch (session.state) {
    case "card":
      return question(current);
    case "waiting":
      return waitingStep(session);
    case "ended": {
      const openPlan = isInProgress(current, Date.now()) && "packageId" in current ? current.packageId : undefined;
      return { step: "form", packageId, openPlan, ended: ENDED[session.why] };
    }
    case "done": {
      const { startedAt, trialEnd, flash } = session;
      return { step: "done", packageId, agreedPriceCents, startedAt, trialEnd, flash };
    }
  }
}

/** Asks if the visitor wants to continue a link's sign-up, which never replaces one in progress. */
function question(current: CurrentSession): SignupStep {
  return { step: "resume", state: isInProgress(current, Date.now()) ? "busy" : "ready" };
}

/** The sign-up of a link or return token in the URL. */
export async function linkedSession(
  url: URL,
  packageId: string,
  { sessions, resumeLinks }: AppLoadContext,
): Promise<UnfinishedSession | undefined> {
  const link = url.searchParams.get(RESUME);
  if (link !== null) return resumeLinks.fromToken(link, packageId);
  return sessions.fromReturnToken(url.searchParams.get(RETURN) ?? "");
}

async function cookies(session: SignupSession | undefined, { sessions }: AppLoadContext): Promise<Headers> {
  const headers = new Headers();
  if (session) headers.append("Set-Cookie", await sessions.write(session));
  // After a sign-up has ended, the same form starts a new one, which needs a new key.
  if (session?.state === "ended") headers.append("Set-Cookie", sessions.newNonce());
  return headers;
}
