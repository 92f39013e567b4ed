import type { SubscriptionRequest } from "../../../contract/subscription-request";
import type { Log } from "../../../pipeline/log.server";
import { findPlan } from "../../../pricing/plans/plan-list";
import type { FailedCall } from "../../../shared/http/failed-call";
import type { CreateOutcome, FailedOutcome } from "../../create-outcome";
import { toDetails } from "../../form-schema";
import type { SignupSession } from "../../session-state";
import type { SignupReply } from "../../steps";
import { noticeFor, planProblemOf } from "../notices.server";
import { endOfSession } from "../session/session.server";

/* After the API's answer: the notice for a refused form, the session for an accepted one. */

/** The page's reply to a form that the API refused or could not take. */
export function failureOf(outcome: FailedOutcome, { package_id }: SubscriptionRequest): SignupReply {
  const isListed = package_id === undefined || findPlan(package_id) !== undefined;
  return {
    notice: noticeFor(outcome),
    planProblem: planProblemOf(outcome, isListed),
    currentPriceCents:
      (outcome.kind === "price changed" ? outcome.currentPriceCents : undefined) ?? listPriceOf(package_id),
  };
}

/** The API's answers to a visitor's mistake. Any other failure may affect everyone: the site itself limits each visitor's forms. */
const VISITORS_OWN = [409, 422];

export function logFailedOutcome(outcome: FailedOutcome, log: Log): void {
  const call = failedCallOf(outcome);
  const line = { outcome: outcome.kind, ...call };
  if (call === undefined || VISITORS_OWN.includes(call.status ?? 0)) log.info("signup_refused", line);
  else log.warn("signup_failed", line);
}

/** Undefined for an answer that is as it should be. */
function failedCallOf(outcome: FailedOutcome): FailedCall | undefined {
  switch (outcome.kind) {
    case "price changed":
      return undefined;
    case "rejected":
      return { cause: "status", status: outcome.status };
    case "unreachable":
      return { cause: outcome.cause };
    case "misconfigured":
    case "unintelligible":
      return { cause: "answer" };
  }
}

interface AcceptedForm {
  key: string;
  requestId: string;
  subscription: SubscriptionRequest;
  shownPriceCents: number | undefined;
}

/** The session of a form that the API has accepted. */
export function acceptedSession(
  { clientSecret, agreedPriceCents, statusUrl, expiresAt }: Extract<CreateOutcome, { kind: "created" }>,
  { key, requestId, subscription, shownPriceCents }: AcceptedForm,
): SignupSession {
  const { package_id } = subscription;
  const onPage = package_id === undefined ? undefined : (shownPriceCents ?? listPriceOf(package_id));
  return {
    state: "card",
    flash: "saved",
    key,
    requestId,
    clientSecret,
    statusUrl,
    packageId: package_id ?? "",
    // Somebody else's API may not say the price.
    agreedPriceCents: agreedPriceCents ?? onPage,
    details: toDetails(subscription),
    expiresAt: endOfSession(expiresAt),
  };
}

/** In US cents. Undefined without a listed plan. */
function listPriceOf(packageId: string | undefined): number | undefined {
  return findPlan(packageId)?.shownPriceCents ?? undefined;
}
