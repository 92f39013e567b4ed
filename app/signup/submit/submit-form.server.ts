import type { Submission } from "@conform-to/react";
import { parseWithZod } from "@conform-to/zod/v4";
import type { AppLoadContext } from "@remix-run/cloudflare";
import * as z from "zod/mini";
import type { SubscriptionRequest } from "../../contract/subscription-request";
import type { PostedForm } from "../../edge/guard/request-body.server";
import type { Middleware } from "../../edge/middleware.server";
import { afterSetup } from "../card/after-setup.server";
import { SECRET_FIELDS, type SignupForm, signupForm, toRequest, withoutEmptyFields } from "../form/form-schema";
import { noticeFor, noticeForRefusal, statusFor } from "../notices";
import { draftOf } from "../session/current-step.server";
import type { SignupReply, SignupSession } from "../steps";

export type FormOutcome =
  | { status: "redirect"; response: Response }
  | { status: "reply"; reply: SignupReply; httpStatus: number }
  | { status: "failed"; error: unknown };

/** Handles a form before Remix does, which halves the cost of a redirect. The route's action returns any other outcome. */
export const handleForm: Middleware<AppLoadContext> = async (request, context, next) => {
  if (context.form === undefined) return next(request, context);
  const formOutcome = await handlePost(request, context).catch(
    (error: unknown): FormOutcome => ({
      status: "failed",
      error,
    }),
  );
  if (formOutcome.status === "redirect" && !context.route?.isData) return formOutcome.response;
  return next(withCookieOnly(request), { ...context, formOutcome });
};

/** Remix trusts any X-Forwarded-Host, and fails on an Origin that it cannot parse. */
function withCookieOnly({ url, headers, signal }: Request): Request {
  const cookie = headers.get("Cookie");
  return new Request(url, { method: "POST", headers: cookie === null ? {} : { Cookie: cookie }, signal });
}

/** Handles every post of the sign-up: the form, and the buttons of later steps. */
async function handlePost(request: Request, context: AppLoadContext): Promise<FormOutcome> {
  const { form = {}, refusal, route, sessions, setupIntents } = context;
  if (refusal) {
    const notice = noticeForRefusal(refusal);
    // The guard reads the fields of a refused form only when the form is rate-limited.
    const isRead = form.form_nonce !== undefined;
    return reply(refusal.status, isRead ? { ...replyTo(form, parseForm(form)), notice } : { notice });
  }
  const path = route?.pagePath ?? "/";
  const session = await sessions.read(request);
  const current = typeof session === "object" ? session : undefined;
  switch (form.intent) {
    case "start-over":
      return seeOther(path, sessions.clear());
    case "edit":
      if (current?.step !== "card") return seeOther(path);
      return seeOther(path, await sessions.write({ step: "form", draft: draftOf(current), replaces: current.key }));
    case "card-set-up": {
      if (current?.step !== "card") return seeOther(path);
      const state = await setupIntents.retrieve(current.clientSecret);
      return seeOther(path, await sessions.write(await afterSetup(current, state, context)));
    }
    default:
      return submitForm(form, path, current, context);
  }
}

async function submitForm(
  form: PostedForm,
  path: string,
  session: SignupSession | undefined,
  { api, log, nonces, requestId, sessions }: AppLoadContext,
): Promise<FormOutcome> {
  const submission = parseForm(form);
  if (submission.status !== "success") {
    log.info("signup_invalid", { fields: Object.keys(submission.error ?? {}) });
    return reply(422, replyTo(form, submission));
  }
  const request = toRequest(submission.value);
  const key = await nonces.idempotencyKey(form.form_nonce ?? "", request);
  // The very same form sent again, as by a double click: its sign-up is under way already.
  if (session && session.step !== "form" && session.key === key) return seeOther(path);

  const replaces = session?.step === "form" ? session.replaces : session?.step === "card" ? session.key : undefined;
  const outcome = await api.create(request, { idempotencyKey: key, requestId, replaces });
  if (outcome.kind !== "created") {
    const status = outcome.kind === "rejected" ? outcome.status : undefined;
    log.warn("signup_failed", { outcome: outcome.kind, status });
    return reply(statusFor(outcome), { ...replyTo(form, submission), notice: noticeFor(outcome) });
  }
  log.add({ signup: "created" });
  return seeOther(path, await sessions.write(cardStep(key, request, outcome)));
}

/** All values are strings, so that leaving out the empty ones is all that Conform's own coercion would do. */
const filledForm = z.pipe(z.transform(withoutEmptyFields), signupForm);

/** The server's decision about a form; the browser's own validation finds the same. */
export function parseForm(form: PostedForm): Submission<SignupForm, string[]> {
  return parseWithZod(new URLSearchParams(form), { schema: filledForm, disableAutoCoercion: true });
}

/** Redirects to the same page (post/redirect/get), so that a reload sends nothing twice. */
function seeOther(path: string, cookie?: string): FormOutcome {
  const headers = { Location: path, ...(cookie !== undefined && { "Set-Cookie": cookie }) };
  return { status: "redirect", response: new Response(null, { status: 303, headers }) };
}

function reply(httpStatus: number, content: SignupReply): FormOutcome {
  return { status: "reply", httpStatus, reply: content };
}

/** Without the passwords. The nonce stays, because with a new one an unchanged retry would be another sign-up. */
function replyTo(form: PostedForm, submission: Submission<SignupForm, string[]>): SignupReply {
  return { form: submission.reply({ hideFields: SECRET_FIELDS }), formNonce: form.form_nonce ?? "" };
}

function cardStep(
  key: string,
  request: SubscriptionRequest,
  { clientSecret, statusUrl }: { clientSecret: string; statusUrl?: string | undefined },
): SignupSession {
  return {
    step: "card",
    key,
    clientSecret,
    statusUrl,
    news: { saved: true },
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
