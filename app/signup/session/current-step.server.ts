import { type AppLoadContext, data, redirect } from "@remix-run/cloudflare";
import { countryCode } from "../../contract/country";
import { formatPhone } from "../../contract/phone";
import { isPageView } from "../../edge/funnel.server";
import { trialEndOf } from "../../pricing/trial";
import { afterSetup } from "../card/after-setup.server";
import { SESSION_EXPIRED, SESSION_UNREADABLE } from "../notices";
import type { CardSession, DoneSession, FormStepData, SignupSession, SignupStep } from "../steps";
import { RESUME_PARAMETER, resumeLink, resumeStep } from "./resume-link.server";
import { backAtForm, type FoundSession, newLifetime, renewed } from "./session.server";

/** The release of Stripe.js that the installed @stripe/stripe-js expects. */
export const STRIPE_JS_URL = "https://js.stripe.com/endive/stripe.js";
/** Stripe's redirect back to the site carries the client secret under this name. */
const RETURNED_SECRET = "setup_intent_client_secret";
/** Our own, in the `return_url`: which sign-up it is, should the cookie be lost on the way. */
const RETURN_TOKEN = "return";

const FIRST_CHECK_SECONDS = 5;
const LAST_CHECK_SECONDS = 60;

/** Loads the step that the visitor is at: that of the session, unless the URL names another plan. Counts what is shown. */
export async function currentStep(request: Request, packageId: string, context: AppLoadContext) {
  const found = await findStep(request, packageId, context);
  const { funnel, formOutcome } = context;
  const step = found.data;
  if (step.step === "form" && formOutcome === undefined && isPageView(request)) {
    funnel.count("form_opened", step.packageId);
  }
  // The news leaves the session with the first page that tells it.
  if (step.step === "card" && step.news !== undefined && "saved" in step.news) {
    funnel.count("card_shown", step.account?.packageId);
  }
  return found;
}

async function findStep(request: Request, packageId: string, context: AppLoadContext) {
  const { sessions, url, route, formOutcome } = context;
  const path = route?.pagePath ?? "/";
  // A form that comes back is shown with what was typed, whatever step the session is at.
  if (formOutcome?.status === "reply" && formOutcome.reply.form) return formStep(packageId, {}, context);
  const found = await sessions.read(request);

  const token = url.searchParams.get(RESUME_PARAMETER);
  if (token !== null) {
    const step = await resumeStep(token, found, packageId, context);
    if (step === "here already") throw await seeOther(path, undefined, context);
    return data<SignupStep>(step);
  }
  const secret = url.searchParams.get(RETURNED_SECRET);
  if (secret !== null) {
    const token = url.searchParams.get(RETURN_TOKEN) ?? "";
    throw await seeOther(path, await sessionAfterReturn(secret, token, found, context), context);
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
  if (session.step === "done") return isThisPlan ? doneStep(session, context) : formStep(packageId, {}, context);
  if (session.editing) return formStep(packageId, { draft: draftOf(session) }, context);
  if (isThisPlan) return cardStep(session, path, context);
  const waiting = { packageId: session.account?.packageId ?? "" };
  return formStep(packageId, { draft: draftOf(session), waiting }, context);
}

/** Another page may have set up the card in time, so Stripe is asked before the visitor is told that the sign-up has ended. */
async function expiredStep(session: CardSession, packageId: string, path: string, context: AppLoadContext) {
  const { sessions, setupIntents } = context;
  if (isOf(session, packageId)) {
    const next = await afterSetup(session, await setupIntents.retrieve(session.clientSecret, context), context);
    if (next.step === "done" || next.checks !== undefined) throw await seeOther(path, renewed(next), context);
  }
  const left = backAtForm(session);
  return formStep(packageId, { draft: draftOf(session), ended: SESSION_EXPIRED }, context, await sessions.write(left));
}

/** The query is not believed: Stripe is asked. A secret of another sign-up than the session's changes nothing. */
async function sessionAfterReturn(
  secret: string,
  token: string,
  found: FoundSession,
  context: AppLoadContext,
): Promise<SignupSession | undefined> {
  const session = "session" in found ? found.session : undefined;
  if (session && !(session.step === "card" && session.clientSecret === secret)) return undefined;
  const sent = session ? undefined : await context.sessions.fromReturnToken(token);
  const returned = sent?.clientSecret === secret ? sent : undefined;
  const known = session ?? returned ?? { step: "card", ...newLifetime(), key: "", clientSecret: secret };
  const state = await context.setupIntents.retrieve(secret, context);
  return state.status === "invalid" ? undefined : renewed(await afterSetup(known, state, context));
}

/** A URL without a plan is that of any session. */
function isOf({ account }: SignupSession, packageId: string): boolean {
  return packageId === "" || (account?.packageId ?? packageId).toLowerCase() === packageId.toLowerCase();
}

async function formStep(
  packageId: string,
  more: Pick<FormStepData, "draft" | "waiting" | "ended">,
  { nonces, formOutcome }: AppLoadContext,
  cookie?: string,
) {
  const step: SignupStep = {
    step: "form",
    packageId,
    formNonce: await nonces.issue(),
    failed: formOutcome?.status === "reply",
    ...more,
  };
  return data(step, cookie === undefined ? undefined : { headers: { "Set-Cookie": cookie } });
}

async function doneStep(session: DoneSession, { sessions }: AppLoadContext) {
  const { news, ...rest } = session;
  return data<SignupStep>(session, news && { headers: { "Set-Cookie": await sessions.write(rest) } });
}

async function cardStep(session: CardSession, path: string, context: AppLoadContext) {
  const { sessions, setupIntents, configuration } = context;
  if (session.checks !== undefined) {
    const next = await afterSetup(session, await setupIntents.retrieve(session.clientSecret, context), context);
    if (next.step !== "card" || next.checks === undefined) throw await seeOther(path, next, context);
    const step: SignupStep = {
      step: "waiting",
      packageId: session.account?.packageId ?? "",
      reason: next.waitsFor ?? "processing",
      refreshSeconds: Math.min(FIRST_CHECK_SECONDS * 2 ** session.checks, LAST_CHECK_SECONDS),
    };
    return data(step, { headers: { "Set-Cookie": await sessions.write(next) } });
  }
  const { news, ...rest } = session;
  const returnToken = await sessions.toReturnToken(session);
  const step: SignupStep = {
    ...session,
    publishableKey: configuration.STRIPE_PUBLISHABLE_KEY,
    stripeJsUrl: configuration.STRIPE_JS_URL ?? STRIPE_JS_URL,
    returnUrl: `${configuration.SITE_URL}${path}?${RETURN_TOKEN}=${returnToken}`,
    returnToken,
    countryCode: session.address && countryCode(session.address.country),
    trialEnd: trialEndOf(new Date().toISOString()),
    resumeLink: session.resumed ? undefined : await resumeLink(session, context),
    secondsLeft: Math.floor((session.expiresAt - Date.now()) / 1000),
  };
  return data(step, news && { headers: { "Set-Cookie": await sessions.write(rest) } });
}

/** The form's fields as they were accepted, without the passwords. */
function draftOf({ account, address }: CardSession): Record<string, string> {
  return {
    ...(account && {
      full_name: account.fullName,
      company_name: account.companyName,
      email: account.email,
      phone: formatPhone(account.phone),
    }),
    ...(address && {
      address: address.line1,
      city: address.city,
      state: address.state,
      zipCode: address.postalCode,
      country: address.country,
    }),
  };
}

async function seeOther(path: string, session: SignupSession | undefined, { sessions }: AppLoadContext) {
  return redirect(path, {
    status: 303,
    ...(session && { headers: { "Set-Cookie": await sessions.write(session) } }),
  });
}
