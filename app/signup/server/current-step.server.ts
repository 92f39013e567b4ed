import { type AppLoadContext, data, redirect } from "@remix-run/cloudflare";
import { countryCode } from "../../contract/fields/country";
import { trialEndOf } from "../../contract/trial";
import { isPageView } from "../../pipeline/plan-views.server";
import { COOKIES_BLOCKED, SESSION_EXPIRED, SESSION_UNREADABLE, SIGNUP_CANCELED } from "../notices";
import type { CardSession, DoneSession, OtherSignUp, SignUpName, SignupSession, SignupStep } from "../steps";
import { afterSetup } from "./card/after-setup.server";
import { DRAFT_PARAMETER, draftOf } from "./session/draft.server";
import { linkedSignUp, resumeLink, resumeStep } from "./session/resume-link.server";
import { afterReturn, outcomeOfReturn, RETURN_TOKEN, RETURNED_SECRET } from "./session/return-url.server";
import { aboutSignUp, backAtForm, type FoundSession, renewed, switched } from "./session/session.server";

/** The release of Stripe.js that the installed @stripe/stripe-js expects. */
export const STRIPE_JS_URL = "https://js.stripe.com/endive/stripe.js";

const FIRST_CHECK_SECONDS = 5;
const LAST_CHECK_SECONDS = 60;

/** Loads the session's step, or the form if the URL names another plan. Counts the step in the funnel. */
export async function currentStep(request: Request, packageId: string, context: AppLoadContext) {
  const found = await findStep(request, packageId, context);
  const { funnel, formOutcome } = context;
  const step = found.data;
  if (step.step === "form" && formOutcome === undefined && isPageView(request)) {
    funnel.count("form_opened", step.packageId);
  }
  // A flash message is shown once.
  if (step.step === "card" && step.flash !== undefined && "saved" in step.flash) {
    funnel.count("card_shown", step.account?.packageId);
  }
  return found;
}

async function findStep(request: Request, packageId: string, context: AppLoadContext) {
  const { sessions, url, route, formOutcome } = context;
  const path = route?.pagePath ?? "/";
  // A returned form keeps its values, regardless of the session's step.
  const found = await sessions.read(request);
  if (formOutcome?.status === "reply" && formOutcome.reply.form) {
    return formStep(packageId, { madeFrom: sentFrom(found, context.form?.sign_up) }, context);
  }

  const secret = url.searchParams.get(RETURNED_SECRET);
  if (secret !== null) {
    const { token, session } = await afterReturn(secret, found, context);
    throw await seeOther(token === undefined ? path : `${path}?${RETURN_TOKEN}=${token}`, session, context);
  }
  const outcome = "session" in found ? undefined : await outcomeOfReturn(packageId, context);
  if (outcome) return data<SignupStep>(outcome);
  const link = await linkedSignUp(context);
  if (link) {
    const step = resumeStep(link.signUp, found, packageId);
    if (step === "here already") throw await seeOther(path, undefined, context);
    return data<SignupStep>(step);
  }

  const draft = url.searchParams.get(DRAFT_PARAMETER);
  if (draft !== null) {
    if (found.status !== "none") throw await seeOther(path, undefined, context);
    const sent = await sessions.fromDraftToken(draft);
    if (sent) {
      // An unchanged retry is the same sign-up.
      const { values, formNonce } = sent;
      return formStep(packageId, { draft: values, formNonce, ended: COOKIES_BLOCKED }, context);
    }
  }

  switch (found.status) {
    case "none":
      return formStep(packageId, {}, context);
    case "unreadable":
      return formStep(packageId, { ended: SESSION_UNREADABLE }, context, sessions.clear());
    case "expired":
      return expiredStep(found.session, packageId, path, context);
    case "open":
      return openStep(found.session, packageId, path, context);
  }
}

async function openStep(session: SignupSession, packageId: string, path: string, context: AppLoadContext) {
  const isThisPlan = isOf(session, packageId);
  const other = otherIn(session);
  if (session.step === "done") return isThisPlan ? doneStep(session, context) : formStep(packageId, { other }, context);
  if (session.aside) return formStep(packageId, { other: nameOf(session) }, context);
  const draft = draftOf(session);
  if (session.ended) return formStep(packageId, { draft, other, ended: SIGNUP_CANCELED }, context);
  const madeFrom = nameOf(session);
  if (session.editing) return formStep(packageId, { draft, madeFrom, other }, context);
  if (isThisPlan) return cardStep(session, packageId, path, context);
  const wanted = switched(session);
  if (other && wanted?.account?.packageId && isOf(wanted, packageId)) throw await seeOther(path, wanted, context);
  const waiting = { packageId: session.account?.packageId ?? "" };
  return formStep(packageId, { draft, waiting, madeFrom, other }, context);
}

function nameOf({ key, account }: OtherSignUp): SignUpName {
  return { key, company: account?.companyName };
}

/** The browser's other sign-up, while it can be finished. */
function otherIn({ other }: SignupSession): SignUpName | undefined {
  return other && other.expiresAt > Date.now() ? nameOf(other) : undefined;
}

/** The sign-up that a form was opened from, if it belongs to this browser. */
function sentFrom(found: FoundSession, key: string | undefined): SignUpName | undefined {
  const about = aboutSignUp(found, key);
  const session = "session" in about ? about.session : undefined;
  return key && session?.step === "card" && session.key === key ? nameOf(session) : undefined;
}

/** Asks Stripe before showing that the sign-up has expired, because another page may have set up the card in time. */
async function expiredStep(session: CardSession, packageId: string, path: string, context: AppLoadContext) {
  const { sessions, setupIntents } = context;
  const next = await afterSetup(session, await setupIntents.retrieve(session.clientSecret, context), context);
  if (next.step === "done" || next.checks !== undefined) throw await seeOther(path, renewed(next), context);
  const left = backAtForm(session);
  const more = { draft: draftOf(session), madeFrom: nameOf(session), other: otherIn(session), ended: SESSION_EXPIRED };
  return formStep(packageId, more, context, await sessions.write(left));
}

/** A URL without a plan fits any session. */
function isOf({ account }: SignupSession, packageId: string): boolean {
  return packageId === "" || (account?.packageId ?? packageId).toLowerCase() === packageId.toLowerCase();
}

async function formStep(
  packageId: string,
  more: Pick<SignupStep & { step: "form" }, "draft" | "waiting" | "madeFrom" | "ended" | "other"> & {
    formNonce?: string;
  },
  { nonces, formOutcome }: AppLoadContext,
  cookie?: string,
) {
  const step: SignupStep = {
    step: "form",
    packageId,
    formNonce: more.formNonce ?? (await nonces.issue()),
    failed: formOutcome?.status === "reply",
    ...more,
  };
  return data(step, cookie === undefined ? undefined : { headers: { "Set-Cookie": cookie } });
}

async function doneStep(session: DoneSession, { sessions }: AppLoadContext) {
  const { flash, ...rest } = session;
  const step: SignupStep = { ...session, other: otherIn(session) };
  return data<SignupStep>(step, flash && { headers: { "Set-Cookie": await sessions.write(rest) } });
}

async function cardStep(session: CardSession, ofUrl: string, path: string, context: AppLoadContext) {
  const { sessions, setupIntents, configuration } = context;
  const packageId = session.account?.packageId ?? ofUrl;
  if (session.checks !== undefined) {
    const next = await afterSetup(session, await setupIntents.retrieve(session.clientSecret, context), context);
    if (next.step !== "card" || next.checks === undefined) throw await seeOther(path, next, context);
    const step: SignupStep = {
      step: "waiting",
      packageId,
      reason: next.waitsFor ?? "processing",
      refreshSeconds: Math.min(FIRST_CHECK_SECONDS * 2 ** session.checks, LAST_CHECK_SECONDS),
      other: otherIn(session),
    };
    return data(step, { headers: { "Set-Cookie": await sessions.write(next) } });
  }
  const { flash, kept, ...rest } = session;
  const returnToken = await sessions.toReturnToken(session);
  const step: SignupStep = {
    ...session,
    packageId,
    other: otherIn(session),
    publishableKey: configuration.STRIPE_PUBLISHABLE_KEY,
    stripeJsUrl: configuration.STRIPE_JS_URL ?? STRIPE_JS_URL,
    returnUrl: `${configuration.SITE_URL}${path}?${RETURN_TOKEN}=${returnToken}`,
    returnToken,
    countryCode: session.address && countryCode(session.address.country),
    trialEnd: trialEndOf(new Date().toISOString()),
    resumeLink: session.resumed ? undefined : await resumeLink(session, context),
    secondsLeft: Math.floor((session.expiresAt - Date.now()) / 1000),
  };
  const isTold = flash !== undefined || kept !== undefined;
  return data(step, isTold ? { headers: { "Set-Cookie": await sessions.write(rest) } } : undefined);
}

async function seeOther(path: string, session: SignupSession | undefined, { sessions }: AppLoadContext) {
  return redirect(path, {
    status: 303,
    ...(session && { headers: { "Set-Cookie": await sessions.write(session) } }),
  });
}
