import type { Submission } from "@conform-to/react";
import type { AppLoadContext } from "@remix-run/cloudflare";
import type { SubscriptionRequest } from "../../contract/subscription-request";
import type { PostedForm } from "../../edge/guard/form-body.server";
import type { FormOutcome } from "../../edge/request-context.server";
import { SECRET_FIELDS, type SignupForm, toRequest } from "../form/form-schema";
import { parseForm } from "../form/parse-form.server";
import { noticeFor, noticeForRefusal, statusFor } from "../notices";
import type { SignupReply, SignupSession } from "../steps";
import { idempotencyKey } from "./idempotency-key.server";

/** Handles every post of the sign-up: the form, and the buttons of later steps. */
export async function handleForm(request: Request, context: AppLoadContext): Promise<FormOutcome<SignupReply>> {
  const { form = {}, refusal, route, sessions } = context;
  if (refusal) {
    const notice = noticeForRefusal(refusal);
    // The guard reads the fields of a refused form only when the form is rate-limited.
    const isRead = form.form_nonce !== undefined;
    return reply(refusal.status, isRead ? { ...replyTo(form, parseForm(form)), notice } : { notice });
  }
  const path = route?.pagePath ?? "/";
  if (form.intent === "start-over") return seeOther(path, sessions.clear());
  const session = await sessions.read(request);
  if (typeof session === "object") {
    const next = form.intent === "card-set-up" ? ({ step: "done", account: session.account } as const) : session;
    return seeOther(path, await sessions.write(next));
  }
  return submitForm(form, path, context);
}

async function submitForm(
  form: PostedForm,
  path: string,
  { api, configuration, log, requestId, sessions }: AppLoadContext,
): Promise<FormOutcome<SignupReply>> {
  const submission = parseForm(form);
  if (submission.status !== "success") {
    log.info("signup_invalid", { fields: Object.keys(submission.error ?? {}) });
    return reply(422, replyTo(form, submission));
  }
  const request = toRequest(submission.value);
  const [secret = ""] = configuration.SESSION_SECRET;
  const key = await idempotencyKey(secret, form.form_nonce ?? "", request);
  const outcome = await api.create(request, { idempotencyKey: key, requestId });
  if (outcome.kind !== "created") {
    const status = outcome.kind === "rejected" ? outcome.status : undefined;
    log.warn("signup_failed", { outcome: outcome.kind, status });
    return reply(statusFor(outcome), { ...replyTo(form, submission), notice: noticeFor(outcome) });
  }
  log.add({ signup: "created" });
  return seeOther(path, await sessions.write(cardStep(request, outcome.clientSecret)));
}

/** Redirects to the same page (post/redirect/get), so that a reload sends nothing twice. */
function seeOther(path: string, cookie: string): FormOutcome<SignupReply> {
  const response = new Response(null, { status: 303, headers: { Location: path, "Set-Cookie": cookie } });
  return { status: "redirect", response };
}

function reply(httpStatus: number, content: SignupReply): FormOutcome<SignupReply> {
  return { status: "reply", httpStatus, reply: content };
}

/** Without the passwords. The nonce stays, because with a new one an unchanged retry would be another sign-up. */
function replyTo(form: PostedForm, submission: Submission<SignupForm, string[]>): SignupReply {
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
