import { parseWithZod } from "@conform-to/zod/v4";
import { type AppLoadContext, data, redirect } from "@remix-run/cloudflare";
import type { Refusal } from "../edge/gate.server";
import { CONTINUE_PARAMETER, continueLink } from "./continue-link.server";
import type { SubscriptionRequest } from "./contract";
import { SECRET_FIELDS, signupForm, toRequest } from "./form-schema";
import { idempotencyKey } from "./idempotency-key.server";
import { noticeFor, noticeForRefusal, statusFor } from "./notices";
import type { SignupReply, SignupSession, SignupStep } from "./steps";

/** Where Stripe.js is loaded from unless the configuration says otherwise: the release that @stripe/stripe-js 10 expects. */
const STRIPE_JS_URL = "https://js.stripe.com/endive/stripe.js";

/** The step that a request's session is at; a link from another device brings its session along. */
export async function currentStep(request: Request, packageId: string, context: AppLoadContext) {
  const { sessions, nonces, configuration } = context;
  const url = new URL(request.url);
  const token = url.searchParams.get(CONTINUE_PARAMETER);
  const taken = token ? await sessions.fromToken(token) : undefined;
  if (taken) throw redirect(url.pathname, { status: 303, headers: { "Set-Cookie": await sessions.write(taken) } });

  const session = await sessions.read(request);
  if (session === "none" || session === "broken") {
    const step: SignupStep = {
      step: "form",
      packageId,
      formNonce: await nonces.issue(),
      failed: context.formFailed === true,
    };
    return data(step, session === "broken" ? { headers: { "Set-Cookie": sessions.clear() } } : undefined);
  }
  if (session.step === "done") return data<SignupStep>(session);
  const returnUrl = `${configuration.SITE_URL}${url.pathname.replace(/\.data$/, "")}`;
  return data<SignupStep>({
    ...session,
    publishableKey: configuration.STRIPE_PUBLISHABLE_KEY,
    stripeJsUrl: configuration.STRIPE_JS_URL ?? STRIPE_JS_URL,
    returnUrl,
    continueLink: await continueLink(sessions, session, returnUrl),
  });
}

/** The reply to a form that the gate holds back: why, and what was typed where the gate has read it. */
export function holdBack(form: FormData, refusal: Refusal): SignupReply {
  const notice = noticeForRefusal(refusal);
  const formNonce = form.get("form_nonce");
  if (typeof formNonce !== "string") return { notice };
  const submission = parseWithZod(form, { schema: signupForm });
  return { form: submission.reply({ hideFields: SECRET_FIELDS }), formNonce, notice };
}

type Submitted =
  | { status: "success"; session: SignupSession }
  | { status: "error"; reply: SignupReply; httpStatus: number };

/** Validates the form and asks the subscription API; a failure goes back to the form with everything but the passwords. */
export async function submitForm(form: FormData, context: AppLoadContext): Promise<Submitted> {
  const { api, nonces, configuration, log, requestId } = context;
  const sentNonce = String(form.get("form_nonce") ?? "");
  // However old, and kept in the reply: with another nonce an unchanged retry would be another sign-up.
  const nonce = (await nonces.isGenuine(sentNonce)) ? sentNonce : "";
  const submission = parseWithZod(form, { schema: signupForm });
  const reply = { form: submission.reply({ hideFields: SECRET_FIELDS }), formNonce: nonce };
  if (submission.status !== "success") {
    log.info("signup_invalid", { fields: Object.keys(submission.error ?? {}) });
    return { status: "error", reply, httpStatus: 422 };
  }
  const request = toRequest(submission.value);
  const key = await idempotencyKey(configuration.SESSION_SECRET, nonce, request);
  const outcome = await api.create(request, { idempotencyKey: key, requestId });
  if (outcome.kind !== "created") {
    log.warn("signup_failed", {
      outcome: outcome.kind,
      status: outcome.kind === "rejected" ? outcome.status : undefined,
    });
    return { status: "error", reply: { ...reply, notice: noticeFor(outcome) }, httpStatus: statusFor(outcome) };
  }
  log.info("signup_created");
  return { status: "success", session: cardStep(request, outcome.clientSecret) };
}

function cardStep(request: SubscriptionRequest, clientSecret: string): SignupSession {
  return {
    step: "card",
    clientSecret,
    account: {
      companyName: request.company_name,
      fullName: request.full_name,
      email: request.email,
      phone: request.phone,
      packageId: request.package_id,
    },
    address: {
      line1: request.address,
      city: request.city,
      state: request.state,
      postalCode: request.zipCode,
      country: request.country,
    },
  };
}
