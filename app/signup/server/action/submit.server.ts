import { type ActionFunctionArgs, redirect } from "@remix-run/cloudflare";
import { signUpPath } from "../../../contract/sign-up-path";
import { isWorse } from "../../../contract/terms";
import { TOO_MANY_REQUESTS } from "../../../pipeline/guard/refusals.server";
import { rateLimitKeyOf } from "../../../shared/http/rate-limit-key";
import { statusFor } from "../../create-outcome";
import { planPath, toRequest } from "../../form-schema";
import { type CurrentSession, isSessionOf } from "../../session-state";
import { acceptedSession, failureOf, logFailedOutcome } from "../form/after-api-answer.server";
import { networkChallenge } from "../form/network-challenge.server";
import { type PostedFields, returned, shownTermsIn, validateOnServer } from "../form/posted-form.server";
import { endSession, hasCard } from "../session/check-session.server";
import { refuse, reply, replyWithoutCookie, seeOther } from "./replies.server";

export async function submit(fields: PostedFields, current: CurrentSession, posted: ActionFunctionArgs) {
  const { request, context } = posted;
  const { api, configuration, idempotencyKeyOf, ip, log, requestId, sessions } = context;
  const submission = validateOnServer(fields);
  const form = returned(submission);
  if (submission.status !== "success") {
    log.info("signup_invalid", { fields: Object.keys(submission.error ?? {}) });
    return reply(422, { form }, posted);
  }

  const subscription = toRequest(submission.value);
  const planUrl = planPath(subscription.package_id) ?? new URL(request.url).pathname;
  const key = await idempotencyKeyOf(subscription, sessions.nonceIn(request));
  const shown = shownTermsIn(fields);
  // The same form was posted again, for example by a double click. From a page with better terms, only the API can agree to them.
  const hasWorse = current.state === "card" && isWorse(current.terms, shown);
  if (isSessionOf(current, key) && current.state !== "ended" && !hasWorse) return redirect(planUrl, 303);

  const withoutCookie = replyWithoutCookie(fields, { form }, posted);
  if (withoutCookie) return withoutCookie;

  const challenge = await networkChallenge(fields, context);
  if (challenge === "refused") return refuse(fields, TOO_MANY_REQUESTS, posted);
  if (challenge) return reply(429, { form, ...challenge }, posted, TOO_MANY_REQUESTS.headers);

  // A new sign-up first ends the browser's own, unless that has a card.
  const earlier = isSessionOf(current, key) ? undefined : await endSession(current, context);
  if (hasCard(earlier)) return seeOther(signUpPath(earlier.packageId), earlier, posted);

  const about = { idempotencyKey: key, requestId, rateLimitKey: rateLimitKeyOf(ip), shown };
  const outcome = await api.create(subscription, about);
  if (outcome.kind !== "created") {
    logFailedOutcome(outcome, log);
    // A refused key stays refused, so a retry needs a new one.
    const isKeyRefused = outcome.kind === "rejected" && outcome.status === 409;
    const headers = new Headers(isKeyRefused ? { "Set-Cookie": sessions.newNonce() } : {});
    const isOver = earlier?.state === "ended";
    if (isOver) headers.append("Set-Cookie", await sessions.write(earlier));
    const content = { form, requestId, isOver, ...failureOf(outcome, subscription, configuration) };
    return reply(statusFor(outcome), content, posted, headers);
  }

  log.add({ signup: "created" });
  const accepted = { key, requestId, subscription, shown };
  return seeOther(planUrl, acceptedSession(outcome, accepted, configuration, earlier), posted);
}
