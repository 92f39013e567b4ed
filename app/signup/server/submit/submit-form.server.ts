import type { Submission, SubmissionResult } from "@conform-to/react";
import { parseWithZod } from "@conform-to/zod/v4";
import type { AppLoadContext } from "@remix-run/cloudflare";
import * as z from "zod/mini";
import type { SubscriptionRequest } from "../../../contract/subscription-request";
import { type Refusal, TOO_MANY_REQUESTS } from "../../../pipeline/guard/refusals.server";
import { type PostedForm, readForm } from "../../../pipeline/guard/request-body.server";
import { isOverLimit } from "../../../shared/limits/rate-limit";
import { rateLimitKeyOf } from "../../../shared/limits/rate-limit-key";
import {
  FIELD_NAMES,
  POSTED_FIELDS,
  SECRET_FIELDS,
  type SignupForm,
  signupForm,
  toRequest,
  withoutEmptyFields,
} from "../../form-schema";
import { type Notice, noticeFor, noticeForRefusal, statusFor } from "../../notices";
import { planPath } from "../../plan-path";
import type { CardSession, SignupReply } from "../../steps";
import { canVerify, checkForBots, type Question, questionAbout } from "../bots/bot-check.server";
import { INTENTS, type IntentSubmission } from "../intents.server";
import { DRAFT_PARAMETER, draftOf } from "../session/draft.server";
import { aboutSignUp, type FoundSession, newLifetime, renewed, signUpsIn, switched } from "../session/session.server";
import { type FormOutcome, reply, seeOther } from "./form-outcome.server";

/** The longest valid value. */
const MAX_ENTRY_LENGTH = 256;
/** Longer than any real value. A returned value appears three times on the page. */
const MAX_RETURNED_LENGTH = 3000;
/** The API's answers to a customer's mistake. Any other failure may concern everybody. */
const REFUSALS = [409, 422, 429];

/** Reads and handles a posted form. */
export async function handleForm(request: Request, context: AppLoadContext): Promise<FormOutcome> {
  const { configuration, ip, log } = context;
  const tooMany = await isOverLimit(configuration.SIGNUP_RATE_LIMIT, rateLimitKeyOf(ip), log);
  if (tooMany && context.route?.isData) return handlePost(request, { ...context, refusal: TOO_MANY_REQUESTS });
  const read = await readForm(request, POSTED_FIELDS, configuration.DEADLINE_FACTOR);
  const refusal = tooMany ? TOO_MANY_REQUESTS : "refusal" in read ? read.refusal : undefined;
  if (refusal) log.add({ outcome: "refused", reason: refusal.title });
  return handlePost(request, { ...context, form: read.form, refusal });
}

/** Handles every post of the sign-up: the form and the buttons. */
async function handlePost(
  request: Request,
  context: AppLoadContext & { refusal?: Refusal | undefined },
): Promise<FormOutcome> {
  const { form = {}, refusal, route, sessions } = context;
  if (refusal) {
    const notice = noticeForRefusal(refusal);
    // The guard reads the fields of a refused form only when the form is rate-limited.
    const isRead = Object.keys(form).length > 0;
    if (refusal.status === 413) return reply(413, tooLarge(form, notice, isRead && !route?.isData));
    return reply(refusal.status, isRead ? { ...replyTo(form, parseForm(form)), notice } : { notice });
  }
  const path = route?.pagePath ?? "/";
  const found = aboutSignUp(await sessions.read(request), form.sign_up);
  const handle = INTENTS.get(form.intent ?? "") ?? submitForm;
  return handle({ request, found, path, form }, context);
}

async function submitForm(sent: IntentSubmission, context: AppLoadContext): Promise<FormOutcome> {
  const { found, path, form } = sent;
  const { api, ip, log, nonces, requestId, sessions } = context;
  const submission = parseForm(form);
  if (submission.status !== "success") {
    const fields = Object.keys(submission.error ?? {});
    log.info("signup_invalid", { fields });
    return reply(422, replyTo(form, submission));
  }
  const request = toRequest(submission.value);
  const planUrl = planPath(request.package_id) ?? path;
  const key = await nonces.idempotencyKey(form.form_nonce ?? "", request);
  // The same form again, for example after a double click.
  if (found.status === "open" && found.session.key === key) {
    const isBack = found.session.step === "card" && found.session.editing;
    return seeOther(
      planUrl,
      isBack ? await sessions.write(renewed({ ...found.session, editing: undefined })) : undefined,
    );
  }
  const other = "session" in found && found.session.other?.key === key ? switched(found.session) : undefined;
  if (other) return seeOther(planUrl, await sessions.write(renewed(other)));
  const askBack = (question: Question) =>
    reply(question.httpStatus, { ...replyTo(form, submission), ...question.reply });
  const checked = await checkForBots(form, request, context);
  if (checked.status === "asks") return askBack(checked.question);
  const { replaced, beside } = earlierSignUps(found, form.sign_up, request);
  const outcome = await api.create(request, {
    idempotencyKey: key,
    requestId,
    sender: rateLimitKeyOf(ip),
    isVerified: checked.status === "confirmed" && checked.isVerified,
    replaces: replaced?.key,
  });
  if (outcome.kind === "rejected" && outcome.needsVerification && checked.status === "unasked" && canVerify(context)) {
    return askBack(await questionAbout(["network_day"], form, request, context));
  }
  if (outcome.kind !== "created") {
    const status = outcome.kind === "rejected" ? outcome.status : undefined;
    const fields = { outcome: outcome.kind, status };
    if (status !== undefined && REFUSALS.includes(status)) log.info("signup_refused", fields);
    else log.warn("signup_failed", fields);
    const answer = { ...replyTo(form, submission), notice: noticeFor(outcome), requestId };
    // A refused key stays refused, so a retry needs another.
    return reply(statusFor(outcome), status === 409 ? { ...answer, formNonce: await nonces.issue() } : answer);
  }
  log.add({ signup: "created" });
  const session = { ...cardStep({ key, requestId }, request, outcome), other: beside };
  return seeOther(planUrl + (await draftQuery(sent, session, context)), await sessions.write(session));
}

/**
 * A form replaces the sign-up that it was opened from or that has the same email address. The newest of the others stays
 * beside it.
 */
function earlierSignUps(found: FoundSession, madeFrom: string | undefined, { email }: SubscriptionRequest) {
  const earlier = signUpsIn(found);
  const replaced =
    earlier.find(({ key }) => key !== "" && key === madeFrom) ??
    earlier.find(({ account }) => account?.email === email);
  const beside = earlier.find((signUp) => signUp !== replaced && signUp.expiresAt > Date.now());
  return { replaced, beside };
}

/** The draft parameter for a browser that blocks cookies, which would otherwise get an empty form without an explanation. */
async function draftQuery(
  { request, form }: IntentSubmission,
  session: CardSession,
  { nonces, sessions }: AppLoadContext,
) {
  const isOwnForm = (await nonces.read(form.form_nonce ?? "")) !== undefined;
  const isBrowser = request.headers.get("Sec-Fetch-Site") === "same-origin";
  if (!isOwnForm || !isBrowser || sessions.probe(request) === undefined) return "";
  const token = await sessions.toDraftToken({ formNonce: form.form_nonce ?? "", values: draftOf(session) });
  return `?${DRAFT_PARAMETER}=${token}`;
}

/** All values are strings, so dropping the empty ones replaces Conform's coercion. */
const filledForm = z.pipe(z.transform(withoutEmptyFields), signupForm);

/** Validates a form on the server, with the same result as in the browser. */
export function parseForm(form: PostedForm): Submission<SignupForm, string[]> {
  return parseWithZod(new URLSearchParams(form), { schema: filledForm, disableAutoCoercion: true });
}

/** Without the passwords. Keeps the nonce, so that an unchanged retry is the same sign-up. */
function replyTo(form: PostedForm, submission: Submission<SignupForm, string[]>): SignupReply {
  const reply = submission.reply({ hideFields: SECRET_FIELDS });
  return { form: { ...reply, initialValue: shortened(reply.initialValue) }, formNonce: form.form_nonce ?? "" };
}

/** Returns the part of an oversized form that was read, with a message at its longest field and none at unread fields. */
function tooLarge(form: PostedForm, notice: Notice, isReturned: boolean): SignupReply {
  const submission = parseForm(form);
  const [longest] = [...FIELD_NAMES].sort((one, another) => lengthOf(form[another]) - lengthOf(form[one]));
  const isLong = longest !== undefined && lengthOf(form[longest]) > MAX_ENTRY_LENGTH;
  const errors = submission.status === "success" ? undefined : submission.error;
  const returned = replyTo(form, submission);
  return {
    ...(isReturned && { ...returned, form: { ...returned.form, error: undefined } }),
    notice: { ...notice, ...(isLong && { fields: { [longest]: errors?.[longest] ?? ["Please shorten this entry"] } }) },
  };
}

const lengthOf = (value = "") => value.length;

function shortened(values: SubmissionResult["initialValue"]): SubmissionResult["initialValue"] {
  const entries = Object.entries(values ?? {}).map(([name, value]) => {
    return [name, typeof value === "string" ? value.slice(0, MAX_RETURNED_LENGTH) : value] as const;
  });
  return Object.fromEntries(entries);
}

function cardStep(
  ids: { key: string; requestId: string },
  request: SubscriptionRequest,
  { clientSecret, statusUrl }: { clientSecret: string; statusUrl?: string | undefined },
): CardSession {
  const { package_id, password: _, full_name, company_name, email, phone, ...others } = request;
  const { address, city, state, zipCode, country, ...otherFields } = others;
  return {
    step: "card",
    ...newLifetime(),
    ...ids,
    clientSecret,
    statusUrl,
    flash: { saved: true },
    account: { companyName: company_name, fullName: full_name, email, phone, packageId: package_id },
    address: { line1: address, city, state, postalCode: zipCode, country },
    ...(Object.keys(otherFields).length > 0 && { otherFields }),
  };
}
