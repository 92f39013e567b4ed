import { type AppLoadContext, data, redirect } from "@remix-run/cloudflare";
import { countryCode } from "../../contract/country";
import type { SignupStep } from "../steps";
import { RESUME_PARAMETER, resumeLink } from "./resume-link.server";

/** The release of Stripe.js that @stripe/stripe-js 10 expects. */
const STRIPE_JS_URL = "https://js.stripe.com/endive/stripe.js";

export async function currentStep(request: Request, packageId: string, context: AppLoadContext) {
  const { sessions, nonces, configuration, url, route, formOutcome } = context;
  const path = route?.pagePath ?? "/";
  const token = url.searchParams.get(RESUME_PARAMETER);
  const resumed = token ? await sessions.fromToken(token) : undefined;
  if (resumed) throw redirect(path, { status: 303, headers: { "Set-Cookie": await sessions.write(resumed) } });

  const session = await sessions.read(request);
  if (session === "none" || session === "broken") {
    const failed = formOutcome?.status === "reply";
    const step: SignupStep = { step: "form", packageId, formNonce: await nonces.issue(), failed };
    return data(step, session === "broken" ? { headers: { "Set-Cookie": sessions.clear() } } : undefined);
  }
  if (session.step === "done") return data<SignupStep>(session);
  const returnUrl = configuration.SITE_URL + path;
  return data<SignupStep>({
    ...session,
    publishableKey: configuration.STRIPE_PUBLISHABLE_KEY,
    stripeJsUrl: configuration.STRIPE_JS_URL ?? STRIPE_JS_URL,
    returnUrl,
    countryCode: session.address && countryCode(session.address.country),
    resumeLink: await resumeLink(sessions, session, returnUrl),
  });
}
