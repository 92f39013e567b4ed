import { type AppLoadContext, data, redirect } from "@remix-run/cloudflare";
import { countryCode } from "../../contract/fields/country";
import { formatPhone } from "../../contract/fields/phone";
import { signUpPath } from "../../contract/sign-up-path";
import { trialEndOf } from "../../contract/trial";
import { REFRESH_SECONDS } from "../durations";
import { NOTICES_SEEN } from "../notices";
import {
  type CurrentSession,
  isSession,
  isSessionOf,
  isUnfinished,
  type SessionIn,
  type SignupSession,
  type UnfinishedSession,
  withSentCard,
} from "../session-state";
import type { SignupStep } from "../steps";
import { STRIPE_JS_URL } from "../stripe-js";
import { earlierTrial, SESSION_EXPIRED, SESSION_UNREADABLE, SIGNUP_CANCELED } from "./notices.server";
import { checkSession } from "./session/check-session.server";
import { resumeLink } from "./session/resume-link.server";

const RESUME = "resume";
const RETURN = "return";
/** The query parameter in which Stripe adds the client secret to the return URL. */
const RETURNED_SECRET = "setup_intent_client_secret";

/**
 * The page's step, and the cookie if it changes. A cookie's sign-up in state `card` or `waiting` is first asked about (`checkSession`):
 *
 * | cookie, after the question   | URL                      | page                                                    |
 * | ---------------------------- | ------------------------ | ------------------------------------------------------- |
 * | none                         | plain                    | form                                                    |
 * | unreadable                   | plain                    | form, "could not be opened"; cookie cleared             |
 * | card                         | its plan or none         | card                                                    |
 * | card                         | `?edit`, or another plan | form, filled in, with a way back to the card            |
 * | card, after its outcome      | any                      | card, with the reason                                   |
 * | waiting                      | any                      | waiting                                                 |
 * | ended                        | any                      | form, filled in, with the reason                        |
 * | done                         | its plan or none         | done                                                    |
 * | done since this question     | any                      | done                                                    |
 * | done before                  | another plan             | form                                                    |
 * | sign-up of the token         | `?return=T`              | 303 to the clean path                                   |
 * | none, or a newer sign-up     | `?return=T`              | the state of the token's sign-up, without personal data |
 * | the link's, unless ended     | `?resume=L`              | 303 to the clean path, unasked                          |
 * | anything else                | `?resume=L`              | question: ready, busy or expired                        |
 * | anything else                | `?resume=L`, card set up | the state of the link's sign-up, without personal data  |
 * | any                          | with Stripe's secret     | 303 to the same path, with `?return=T` if it was there  |
 */
export async function currentStep(request: Request, packageId: string, context: AppLoadContext) {
  const { sessions, resumeLinks } = context;
  const { pathname: path, searchParams: query } = new URL(request.url);
  const [returnToken, resumeToken] = [query.get(RETURN), query.get(RESUME)];

  if (query.has(RETURNED_SECRET)) {
    const kept = returnToken === null ? "" : `?${RETURN}=${encodeURIComponent(returnToken)}`;
    throw redirect(path + kept, 303);
  }
  const kept = await sessions.read(request);
  const returned = returnToken === null ? undefined : await sessions.fromReturnToken(returnToken);
  if (returnToken !== null && !returned) throw redirect(path, 303);
  const linked = resumeToken === null ? undefined : await resumeLinks.fromToken(resumeToken, packageId);
  if (resumeToken !== null && !linked) return data<SignupStep>({ step: "resume", state: "expired" });
  if (linked && isSessionOf(kept, linked.key) && kept.state !== "ended") throw redirect(path, 303);

  const isReturn = returned !== undefined && isSessionOf(kept, returned.key);
  const current = isUnfinished(kept) ? await checkSession(isReturn ? withSentCard(kept) : kept, context) : kept;
  const changed = isSession(current) && current !== kept ? current : undefined;
  if (isReturn) throw redirect(path, { status: 303, headers: await cookies(changed, context) });

  const other = returned ? withSentCard(returned) : linked && ({ ...linked, state: "card" } as const);
  if (other) {
    const step = outcome(await checkSession(other, context), current);
    const shown = step.step === "done" && query.has(NOTICES_SEEN) ? { ...step, flash: undefined } : step;
    return data(shown, { headers: await cookies(changed, context) });
  }
  // An outcome is shown even if the URL has another plan. Another plan can start only after the sign-up has ended.
  const isStillOpen = kept.state === "card" && current.state === "card" && current.flash !== "card used";
  const isOutcome = isUnfinished(kept) && current.state !== "ended" && !isStillOpen;
  const step = await stepOf(current, isOutcome ? NO_PLAN : { packageId, isEdit: query.has("edit") }, context);
  const shown = isSession(current) && ("flash" in current || changed) ? withoutFlash(current) : undefined;
  const headers = await cookies(shown, context);
  if (current.state === "unreadable") headers.append("Set-Cookie", sessions.clear());
  return data(step, { headers });
}

interface Visit {
  packageId: string;
  isEdit: boolean;
}

const NO_PLAN: Visit = { packageId: "", isEdit: false };

async function stepOf(current: CurrentSession, visit: Visit, context: AppLoadContext): Promise<SignupStep> {
  const isAnotherPlan = isOfAnotherPlan(current, visit.packageId);
  switch (current.state) {
    case "none":
      return { step: "form", packageId: visit.packageId };
    case "unreadable":
      return { step: "form", packageId: visit.packageId, ended: SESSION_UNREADABLE };
    case "card": {
      if (!isAnotherPlan && !visit.isEdit) return cardStep(current, context);
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
      const { state: _, expiresAt: __, replaced, ...shown } = current;
      return { ...shown, step: "done", earlier: earlierTrial(replaced) };
    }
  }
}

export const ENDED = { expired: SESSION_EXPIRED, canceled: SIGNUP_CANCELED, "too old": SESSION_UNREADABLE };

async function cardStep(current: SessionIn<"card">, context: AppLoadContext): Promise<SignupStep> {
  const { sessions, resumeLinks, configuration } = context;
  const { state: _, statusUrl: __, replaced, ...shown } = current;
  return {
    ...shown,
    step: "card",
    earlier: earlierTrial(replaced),
    publishableKey: configuration.STRIPE_PUBLISHABLE_KEY,
    stripeJsUrl: configuration.STRIPE_JS_URL ?? STRIPE_JS_URL,
    returnPath: `${signUpPath(current.packageId)}?${RETURN}=${await sessions.toReturnToken(current)}`,
    countryCode: current.details?.country === undefined ? undefined : countryCode(current.details.country),
    trialEnd: trialEndOf(new Date().toISOString(), current.terms.trial_days),
    resumeLink: current.details && (await resumeLink(current, resumeLinks, configuration.SITE_URL)),
  };
}

function waitingStep({ packageId, terms, reason }: SessionIn<"waiting">): SignupStep {
  return { step: "waiting", packageId, terms, reason, refreshSeconds: REFRESH_SECONDS };
}

function draftOf({ details }: SignupSession): Record<string, string> | undefined {
  return details && { ...details, phone: formatPhone(details.phone ?? "") };
}

function isOfAnotherPlan(current: CurrentSession, packageId: string): boolean {
  if (packageId === "" || !("packageId" in current)) return false;
  return packageId.toLowerCase() !== current.packageId.toLowerCase();
}

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
  const { packageId, terms } = session;
  switch (session.state) {
    case "card":
      return question(current);
    case "waiting":
      return waitingStep(session);
    case "ended": {
      const openPlan = current.state === "card" ? current.packageId : undefined;
      return { step: "form", packageId, openPlan, ended: ENDED[session.why] };
    }
    case "done": {
      const { startedAt, trialEnd, flash } = session;
      return { step: "done", packageId, terms, startedAt, trialEnd, flash };
    }
  }
}

/** Asks if the visitor wants to continue a link's sign-up, which never replaces one in progress. */
function question(current: CurrentSession): SignupStep {
  if (!isUnfinished(current)) return { step: "resume", state: "ready" };
  return { step: "resume", state: "busy", currentPath: signUpPath(current.packageId) };
}

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
