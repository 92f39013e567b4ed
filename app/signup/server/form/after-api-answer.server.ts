import type { SubscriptionRequest } from "../../../contract/subscription-request";
import { type SomeTerms, type Terms, withSaid } from "../../../contract/terms";
import { TRIAL_DAYS } from "../../../contract/trial";
import type { Log } from "../../../pipeline/log.server";
import type { Configuration } from "../../../pipeline/settings/configuration.server";
import { findPlan } from "../../../pricing/plans/plan-list";
import type { FailedCall } from "../../../shared/http/failed-call";
import type { CreateOutcome, FailedOutcome } from "../../create-outcome";
import { toDetails } from "../../form-schema";
import type { SessionIn, SignupSession } from "../../session-state";
import type { SignupReply } from "../../steps";
import { noticeFor, planProblemOf } from "../notices.server";
import { endOfSession } from "../session/session.server";

export function failureOf(
  outcome: FailedOutcome,
  { package_id }: SubscriptionRequest,
  configuration: Configuration,
): SignupReply {
  return {
    notice: noticeFor(outcome),
    planProblem: planProblemOf(outcome),
    ...(outcome.kind === "terms changed" && {
      currentTerms: withSaid(ownTerms(package_id, configuration), outcome.terms),
    }),
  };
}

/** The API's answers to a visitor's mistake. Others may affect everyone: the site limits each visitor's forms. */
const VISITORS_OWN = [409, 422];

export function logFailedOutcome(outcome: FailedOutcome, log: Log): void {
  const call = failedCallOf(outcome);
  const line = { outcome: outcome.kind, ...call };
  if (call === undefined || VISITORS_OWN.includes(call.status ?? 0)) log.info("signup_refused", line);
  else log.warn("signup_failed", line);
}

function failedCallOf(outcome: FailedOutcome): FailedCall | undefined {
  switch (outcome.kind) {
    case "terms changed":
      return undefined;
    case "rejected":
      return { cause: "status", status: outcome.status };
    case "unreachable":
      return { cause: outcome.cause };
    case "bot check":
      return { cause: "bot check" };
    case "misconfigured":
    case "unintelligible":
      return { cause: "answer" };
  }
}

interface AcceptedForm {
  key: string;
  requestId: string;
  subscription: SubscriptionRequest;
  shown: SomeTerms;
}

export function acceptedSession(
  { clientSecret, terms, statusUrl, expiresAt }: Extract<CreateOutcome, { kind: "created" }>,
  { key, requestId, subscription, shown }: AcceptedForm,
  configuration: Configuration,
  earlier: SignupSession | undefined,
): SignupSession {
  const { package_id } = subscription;
  const onPage = package_id === undefined ? { ...shown, price_cents: undefined } : shown;
  return {
    state: "card",
    flash: "saved",
    key,
    requestId,
    clientSecret,
    statusUrl,
    packageId: package_id ?? "",
    // Somebody else's API may not say them.
    terms: withSaid(withSaid(ownTerms(package_id, configuration), onPage), terms),
    details: toDetails(subscription),
    expiresAt: endOfSession(expiresAt),
    // An API may give both forms one setup.
    replaced: earlier?.state === "card" && earlier.clientSecret !== clientSecret ? replacedBy(earlier) : undefined,
  };
}

/** A sign-up that could not be ended. One whose card is known to be set up comes before it. */
function replacedBy({ replaced, clientSecret, packageId, details }: SessionIn<"card">): SignupSession["replaced"] {
  return replaced?.hasCard ? replaced : { clientSecret, packageId, company: details?.company_name };
}

function ownTerms(packageId: string | undefined, { AUTOMATIC_TAX }: Configuration): Terms {
  const price_cents = findPlan(packageId)?.shownPriceCents ?? undefined;
  return { price_cents, tax_added: AUTOMATIC_TAX, trial_days: TRIAL_DAYS };
}
