import { type ActionFunctionArgs, redirect } from "@remix-run/cloudflare";
import { TOO_MANY_REQUESTS } from "../../../pipeline/guard/refusals.server";
import { rateLimitKeyOf } from "../../../shared/http/rate-limit-key";
import { statusFor } from "../../create-outcome";
import { planPath, shownPriceIn, toRequest } from "../../form-schema";
import { type CurrentSession, isSessionOf, type SignupSession } from "../../session-state";
import { acceptedSession, failureOf, logFailedOutcome } from "../form/after-api-answer.server";
import { networkChallenge } from "../form/network-challenge.server";
import { type PostedFields, returned, validateOnServer } from "../form/posted-form.server";
import { COOKIES_BLOCKED } from "../notices.server";
import { blocksCookies, refuse, reply, seeOther } from "./replies.server";

/** Validates the form and forwards it to the API, unless the same form was posted before. */
export async function submit(fields: PostedFields, current: CurrentSession, posted: ActionFunctionArgs) {
  const { request, context } = posted;
  const { api, idempotencyKeyOf, ip, log, requestId, sessions } = context;
  const submission = validateOnServer(fields);
  const form = returned(submission);
  if (submission.status !== "success") {
    log.info("signup_invalid", { fields: Object.keys(submission.error ?? {}) });
    return reply(422, { form }, posted);
  }

  const subscription = toRequest(submission.value);
  const planUrl = planPath(subscription.package_id) ?? new URL(request.url).pathname;
  const key = await idempotencyKeyOf(subscription, sessions.nonceIn(request));
  const shownPriceCents = shownPriceIn(fields);
  // The same form was posted again, for example by a double click. From a page with a lower price, only the API can agree to it.
  if (isSessionOf(current, key) && current.state !== "ended" && !isAbove(current, shownPriceCents))
    return redirect(planUrl, 303);

  if (blocksCookies(request))
    return reply(422, { form, notice: COOKIES_BLOCKED }, posted, { "Set-Cookie": sessions.newNonce() });

  const challenge = await networkChallenge(fields, context);
  if (challenge === "refused") return refuse(fields, TOO_MANY_REQUESTS, posted);
  if (challenge) return reply(429, { form, ...challenge }, posted, TOO_MANY_REQUESTS.headers);

  const about = { idempotencyKey: key, requestId, rateLimitKey: rateLimitKeyOf(ip), shownPriceCents };
  const outcome = await api.create(subscription, about);
  if (outcome.kind !== "created") {
    logFailedOutcome(outcome, log);
    // A refused key stays refused, so a retry needs a new one.
    const isKeyRefused = outcome.kind === "rejected" && outcome.status === 409;
    const content = { form, requestId, ...failureOf(outcome, subscription) };
    return reply(statusFor(outcome), content, posted, isKeyRefused ? { "Set-Cookie": sessions.newNonce() } : {});
  }

  log.add({ signup: "created" });
  return seeOther(planUrl, acceptedSession(outcome, { key, requestId, subscription, shownPriceCents }), posted);
}

/** True if a sign-up that needs a card costs more than the form showed. */
function isAbove(current: SignupSession, shownPriceCents = Number.POSITIVE_INFINITY): boolean {
  return current.state === "card" && (current.agreedPriceCents ?? 0) > shownPriceCents;
}
