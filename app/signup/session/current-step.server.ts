import { type AppLoadContext, data, redirect } from "@remix-run/cloudflare";
import { countryCode } from "../../contract/country";
import { formatPhone } from "../../contract/phone";
import { trialEndOf } from "../../pricing/trial";
import { afterSetup } from "../card/after-setup.server";
import type { CardSession, DoneSession, SignupSession, SignupStep } from "../steps";
import { RESUME_PARAMETER, resumeLink } from "./resume-link.server";

/** The release of Stripe.js that @stripe/stripe-js 10 expects. */
const STRIPE_JS_URL = "https://js.stripe.com/endive/stripe.js";
/** Stripe's redirect back to the site carries the client secret under this name. */
const RETURNED_SECRET = "setup_intent_client_secret";

const FIRST_CHECK_SECONDS = 5;
const LAST_CHECK_SECONDS = 60;

/** Loads the step that the visitor is at: that of the session, unless the URL names another plan. */
export async function currentStep(request: Request, packageId: string, context: AppLoadContext) {
  const { sessions, url, route } = context;
  const path = route?.pagePath ?? "/";
  const session = await sessions.read(request);

  const resumed = await sessionOfLink(url, context);
  if (resumed) throw await seeOther(path, resumed, context);
  const secret = url.searchParams.get(RETURNED_SECRET);
  if (secret !== null) throw await seeOther(path, await sessionAfterReturn(secret, session, context), context);

  if (typeof session === "string" || session.step === "form" || !isOf(session, packageId)) {
    return formStep(packageId, session, context);
  }
  return session.step === "done" ? doneStep(session, context) : cardStep(session, path, context);
}

async function sessionOfLink(url: URL, { sessions }: AppLoadContext): Promise<SignupSession | undefined> {
  const token = url.searchParams.get(RESUME_PARAMETER);
  return token ? sessions.fromToken(token) : undefined;
}

/** The query is not believed: Stripe is asked. A secret of another sign-up than the session's changes nothing. */
async function sessionAfterReturn(
  secret: string,
  session: SignupSession | "none" | "broken",
  context: AppLoadContext,
): Promise<SignupSession | undefined> {
  if (typeof session === "object" && !(session.step === "card" && session.clientSecret === secret)) return undefined;
  const known: CardSession = typeof session === "object" ? session : { step: "card", key: "", clientSecret: secret };
  const state = await context.setupIntents.retrieve(secret);
  return state.status === "invalid" ? undefined : afterSetup(known, state, context);
}

/** A URL without a plan is that of any session. */
function isOf({ account }: CardSession | DoneSession, packageId: string): boolean {
  return packageId === "" || (account?.packageId ?? packageId).toLowerCase() === packageId.toLowerCase();
}

async function formStep(
  packageId: string,
  session: SignupSession | "none" | "broken",
  { sessions, nonces, formOutcome }: AppLoadContext,
) {
  const step: SignupStep = {
    step: "form",
    packageId,
    formNonce: await nonces.issue(),
    failed: formOutcome?.status === "reply",
    expired: session === "broken",
  };
  if (session === "broken") return data(step, { headers: { "Set-Cookie": sessions.clear() } });
  if (session === "none" || session.step === "done") return data(step);
  if (session.step === "form") return data<SignupStep>({ ...step, draft: session.draft });
  return data<SignupStep>({
    ...step,
    draft: draftOf(session),
    waiting: { packageId: session.account?.packageId ?? "" },
  });
}

async function doneStep(session: DoneSession, { sessions }: AppLoadContext) {
  const { news, ...rest } = session;
  return data<SignupStep>(session, news && { headers: { "Set-Cookie": await sessions.write(rest) } });
}

async function cardStep(session: CardSession, path: string, context: AppLoadContext) {
  const { sessions, setupIntents, configuration } = context;
  if (session.checks !== undefined) {
    const next = await afterSetup(session, await setupIntents.retrieve(session.clientSecret), context);
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
  const returnUrl = configuration.SITE_URL + path;
  const step: SignupStep = {
    ...session,
    publishableKey: configuration.STRIPE_PUBLISHABLE_KEY,
    stripeJsUrl: configuration.STRIPE_JS_URL ?? STRIPE_JS_URL,
    returnUrl,
    countryCode: session.address && countryCode(session.address.country),
    trialEnd: trialEndOf(new Date().toISOString()),
    resumeLink: await resumeLink(sessions, rest, returnUrl),
  };
  return data(step, news && { headers: { "Set-Cookie": await sessions.write(rest) } });
}

/** The form's fields as they were accepted, without the passwords. */
export function draftOf({ account, address }: CardSession): Record<string, string> {
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
