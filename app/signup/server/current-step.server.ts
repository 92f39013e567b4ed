import { type AppLoadContext, data, redirect } from "@remix-run/cloudflare";
import { countryCode } from "../../contract/fields/country";
import { formatPhone } from "../../contract/fields/phone";
import { signUpPath } from "../../contract/sign-up-path";
import { trialEndOf } from "../../contract/trial";
import { SESSION_EXPIRED, SESSION_UNREADABLE, SIGNUP_CANCELED } from "../notices";
import type { Pending, ResumeStepData, SignupSession, SignupStep } from "../steps";
import { resumeLink } from "./resume-link.server";
import type { FoundSession } from "./session.server";
import { nextState } from "./setup-intent.server";

/** The release of Stripe.js that the installed @stripe/stripe-js expects. */
export const STRIPE_JS_URL = "https://js.stripe.com/endive/stripe.js";

const FIRST_CHECK_SECONDS = 5;
const LAST_CHECK_SECONDS = 60;
const RESUME = "resume";
const RETURN = "return";
/** Stripe adds the client secret to the URL under this name. */
const RETURNED_SECRET = "setup_intent_client_secret";

/** A step, and the session that the browser's cookie keeps from now on where it changes. */
interface Shown {
  step: SignupStep;
  session?: SignupSession | "cleared" | undefined;
}

/**
 * The step of a page:
 *
 * | cookie                      | URL                      | Stripe and API                | step                                          |
 * | --------------------------- | ------------------------ | ----------------------------- | --------------------------------------------- |
 * | none                        | plain                    |                               | form                                          |
 * | unreadable                  | plain                    |                               | form, "could not be opened"                   |
 * | card, in time               | its plan or none         |                               | card                                          |
 * | card, in time               | `?edit`, or another plan |                               | form, filled in; another plan offers to go on |
 * | waiting, or card past time  | any                      | set up, trial begun           | done                                          |
 * |                             |                          | processing, unreachable       | waiting                                       |
 * |                             |                          | needs a card                  | card; past its time: ended                    |
 * |                             |                          | used card, new secret         | card, "already been used"                     |
 * |                             |                          | canceled, unknown             | ended                                         |
 * | past its time               |                          | set up, unknown to the API    | ended                                         |
 * | ended                       | any                      |                               | form, filled in, with the reason              |
 * | done                        | its plan or none         |                               | done                                          |
 * | done                        | another plan             |                               | form                                          |
 * | the token's own             | `?return=T`              | any, as above                 | 303 to the clean path                         |
 * | none or a newer one         | `?return=T`              | any                           | outcome without personal data, or a question  |
 * | any                         | `?resume=L`              | asked when it is answered     | question: ready, busy, ended; own: 303        |
 */
export async function currentStep(request: Request, packageId: string, context: AppLoadContext) {
  const { sessions, resumeLinks } = context;
  const { pathname: path, searchParams: query } = new URL(request.url);
  const found = await sessions.read(request);
  const respond = async ({ step, session }: Shown) => data(step, { headers: await cookiesFor(session, context) });

  const returned = query.get(RETURN);
  if (returned !== null) {
    const signUp = await sessions.fromReturnToken(returned);
    if (!signUp) throw redirect(path, 303);
    if (isOf(found, signUp.key)) {
      const next = isPending(found) ? await nextState(found, checksOf(found), context) : undefined;
      throw redirect(path, { status: 303, headers: await cookiesFor(next, context) });
    }
    if (query.has(RETURNED_SECRET)) throw redirect(`${path}?${RETURN}=${returned}`, 303);
    return respond({ step: outcomeOf(await nextState(signUp, 0, context), found) });
  }
  const linked = query.get(RESUME);
  if (linked !== null) {
    const signUp = await resumeLinks.fromToken(linked, packageId);
    if (signUp && isOf(found, signUp.key) && isPending(found)) throw redirect(path, 303);
    return respond({ step: signUp ? question(found) : { step: "resume", state: "ended" } });
  }
  // Of a return without a token; nothing reads it.
  if (query.has(RETURNED_SECRET)) throw redirect(path, 303);

  const isChecked =
    typeof found !== "string" && (found.state === "waiting" || (found.state === "card" && isOver(found)));
  const session = isChecked ? await nextState(found, checksOf(found), context) : found;
  return respond(await stepOf(session, { packageId, isEdit: !isChecked && query.has("edit"), isChecked }, context));
}

interface Ask {
  packageId: string;
  isEdit: boolean;
  /** True if Stripe was asked: whatever the URL's plan, this is what became of the sign-up. */
  isChecked: boolean;
}

async function stepOf(found: FoundSession, ask: Ask, context: AppLoadContext): Promise<Shown> {
  const { packageId, isEdit, isChecked } = ask;
  if (found === "none") return { step: { step: "form", packageId } };
  if (found === "unreadable")
    return { step: { step: "form", packageId, ended: SESSION_UNREADABLE }, session: "cleared" };
  const isThisPlan = isChecked || packageId === "" || packageId.toLowerCase() === found.packageId.toLowerCase();
  switch (found.state) {
    case "card": {
      if (isThisPlan && !isEdit) return cardStep(found, context);
      const form = { step: "form" as const, packageId: packageId || found.packageId, draft: draftOf(found) };
      return { step: isThisPlan ? form : { ...form, openPlan: found.packageId } };
    }
    case "waiting": {
      const refreshSeconds = Math.min(FIRST_CHECK_SECONDS * 2 ** (found.checks - 1), LAST_CHECK_SECONDS);
      const { reason, packageId } = found;
      return { step: { step: "waiting", packageId, reason, refreshSeconds }, session: found };
    }
    case "ended": {
      const ended = ENDED[found.why];
      const plan = packageId || found.packageId;
      return {
        step: { step: "form", packageId: plan, draft: draftOf(found), ended },
        session: isChecked ? found : undefined,
      };
    }
    case "done": {
      if (!isThisPlan) return { step: { step: "form", packageId } };
      const { flash, state: _, ...rest } = found;
      const isNews = isChecked || flash !== undefined;
      const { key, details, requestId, startedAt, trialEnd, card } = rest;
      const step = {
        step: "done" as const,
        packageId: found.packageId,
        key,
        details,
        requestId,
        startedAt,
        trialEnd,
        card,
        flash,
      };
      return { step, session: isNews ? { ...rest, state: "done" } : undefined };
    }
  }
}

/** What the form says about a sign-up that has ended. */
export const ENDED = { expired: SESSION_EXPIRED, canceled: SIGNUP_CANCELED, "too old": SESSION_UNREADABLE };

async function cardStep(session: SignupSession & { state: "card" }, context: AppLoadContext): Promise<Shown> {
  const { sessions, resumeLinks, configuration } = context;
  const { flash, message, ...rest } = session;
  const { state: _, statusUrl: __, ...shown } = session;
  const step: SignupStep = {
    ...shown,
    step: "card",
    publishableKey: configuration.STRIPE_PUBLISHABLE_KEY,
    stripeJsUrl: configuration.STRIPE_JS_URL ?? STRIPE_JS_URL,
    returnPath: `${signUpPath(session.packageId)}?${RETURN}=${await sessions.toReturnToken(session)}`,
    countryCode: session.details?.country === undefined ? undefined : countryCode(session.details.country),
    trialEnd: trialEndOf(new Date().toISOString()),
    resumeLink: session.resumed ? undefined : await resumeLink(session, resumeLinks, configuration.SITE_URL),
  };
  // A flash is shown once.
  return { step, session: flash === undefined ? undefined : rest };
}

function draftOf({ details }: SignupSession): Record<string, string> | undefined {
  return details && { ...details, phone: formatPhone(details.phone ?? "") };
}

/** What became of a sign-up that this browser's cookie does not have. */
function outcomeOf(outcome: SignupSession, found: FoundSession): SignupStep {
  const { packageId } = outcome;
  switch (outcome.state) {
    case "done": {
      const { startedAt, trialEnd, flash } = outcome;
      return { step: "done", packageId, key: undefined, details: undefined, startedAt, trialEnd, flash };
    }
    case "waiting":
      return { step: "waiting", packageId, reason: outcome.reason, refreshSeconds: 2 * FIRST_CHECK_SECONDS };
    case "card":
      return question(found);
    case "ended":
      return { step: "resume", state: outcome.why === "too old" ? "ended" : "canceled" };
  }
}

function question(found: FoundSession): ResumeStepData {
  return { step: "resume", state: isInProgress(found) ? "busy" : "ready" };
}

/** A link never replaces a sign-up in progress. */
export function isInProgress(found: FoundSession): boolean {
  return isPending(found) && (found.state === "waiting" || !isOver(found));
}

/** The sign-up of a link or return token in the URL. */
export async function linkedSignUp(url: URL, packageId: string, { sessions, resumeLinks }: AppLoadContext) {
  const link = url.searchParams.get(RESUME);
  if (link !== null) return resumeLinks.fromToken(link, packageId);
  const signUp = await sessions.fromReturnToken(url.searchParams.get(RETURN) ?? "");
  return signUp && { ...signUp, resumed: true as const };
}

export function isOf(found: FoundSession, key: string | undefined): found is SignupSession {
  return typeof found !== "string" && found.key === key;
}

/** True for a sign-up that may still get a card. */
function isPending(found: FoundSession): found is SignupSession & Pending & { state: "card" | "waiting" } {
  return typeof found !== "string" && (found.state === "card" || found.state === "waiting");
}

function isOver({ expiresAt }: SignupSession): boolean {
  return expiresAt <= Date.now();
}

function checksOf(session: SignupSession): number {
  return session.state === "waiting" ? session.checks : 0;
}

async function cookiesFor(
  session: SignupSession | "cleared" | undefined,
  { sessions }: AppLoadContext,
): Promise<Headers> {
  const headers = new Headers();
  if (session === undefined) return headers;
  headers.append("Set-Cookie", session === "cleared" ? sessions.clear() : await sessions.write(session));
  // The end of a sign-up frees its key, and the same form is another sign-up.
  if (session !== "cleared" && session.state === "ended") headers.append("Set-Cookie", sessions.newNonce());
  return headers;
}
