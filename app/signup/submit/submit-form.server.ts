import { type AppLoadContext, data, redirect } from "@remix-run/cloudflare";
import type { SubscriptionRequest } from "../../contract/subscription-request";
import type { PostedForm, Refusal } from "../../edge/guard/request-guard.server";
import { filledIn, SECRET_FIELDS, signupForm, toRequest } from "../form/form-schema";
import { checkForm } from "../form/parse-form.server";
import { noticeFor, noticeForRefusal, statusFor } from "../notices";
import { CONTINUE_PARAMETER, continueLink } from "../session/resume-link.server";
import type { SignupReply, SignupSession, SignupStep } from "../steps";
import { idempotencyKey } from "./idempotency-key.server";

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
export function holdBack(form: PostedForm, refusal: Refusal): SignupReply {
  const notice = noticeForRefusal(refusal);
  return form.form_nonce === undefined ? { notice } : { ...replyTo(form), notice };
}

type Submitted =
  | { status: "success"; session: SignupSession }
  | { status: "error"; reply: SignupReply; httpStatus: number };

/** Validates the form and asks the subscription API; a failure goes back to the form with everything but the passwords. */
export async function submitForm(form: PostedForm, context: AppLoadContext): Promise<Submitted> {
  const { api, configuration, log, requestId } = context;
  const checked = signupForm.safeParse(filledIn(form));
  if (!checked.success) {
    const reply = replyTo(form);
    log.info("signup_invalid", { fields: Object.keys(reply.form?.error ?? {}) });
    return { status: "error", reply, httpStatus: 422 };
  }
  const request = toRequest(checked.data);
  const key = await idempotencyKey(configuration.SESSION_SECRET, form.form_nonce ?? "", request);
  const outcome = await api.create(request, { idempotencyKey: key, requestId });
  if (outcome.kind !== "created") {
    log.warn("signup_failed", {
      outcome: outcome.kind,
      status: outcome.kind === "rejected" ? outcome.status : undefined,
    });
    return { status: "error", reply: { ...replyTo(form), notice: noticeFor(outcome) }, httpStatus: statusFor(outcome) };
  }
  log.note({ signup: "created" });
  return { status: "success", session: cardStep(request, outcome.clientSecret) };
}

/**
 * What a form gets back: its messages, and everything typed but the passwords. Its nonce stays, however old: with
 * another one an unchanged retry would be another sign-up.
 */
function replyTo(form: PostedForm): SignupReply {
  const submission = checkForm(new URLSearchParams(form));
  return { form: submission.reply({ hideFields: SECRET_FIELDS }), formNonce: form.form_nonce ?? "" };
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
