import { counted } from "../../contract/counted";
import { MAX_FAILED_CARDS, SIGN_UP_HOURS } from "../../contract/trial";
import { findPlan } from "../../pricing/plans/plan-list";
import type { FailedOutcome } from "../create-outcome";
import { CONFIGURATION_ERROR, CONNECTION_FAILED, destructive, type Notice, submissionFailed } from "../notices";
import type { SignupSession } from "../session-state";

/* The notices that only the server decides on, so that no browser loads their words before they are shown. */

export const CARD_PROCESSING = destructive("Your bank is still processing the card", "Wait a minute, then try again.");

export const SESSION_EXPIRED = destructive(
  "Your sign-up has ended",
  "No card was added in time. You haven’t been charged. To sign up, fill in the form again.",
);
export const SESSION_UNREADABLE = destructive(
  "Your sign-up could not be opened",
  "It is too old, or its cookie has changed. If you set up your card, you don’t need to sign up again. Otherwise, fill in the form again.",
  { actions: ["support"] },
);
export const SIGNUP_FINISHED = destructive(
  "This sign-up is finished",
  "You’ve already set up your card. There’s nothing left to do.",
);
export const SIGNUP_CANCELED = destructive(
  "This sign-up was canceled",
  "It can’t take a card anymore. You weren’t charged.",
  {
    promised: {
      by: "ends-sign-ups",
      text: `A sign-up ends after ${counted(MAX_FAILED_CARDS, "declined card")}, after ${counted(SIGN_UP_HOURS, "hour")} without a card, or when you start over or submit another form. No account was created, and we delete this sign-up’s data within a day.`,
    },
    hint: "To try again, start a new sign-up with another card, or contact sales to pay in another way.",
    actions: ["sales", "support"],
  },
);

export function earlierTrial(replaced: SignupSession["replaced"]): Notice | undefined {
  if (!replaced?.hasCard) return undefined;
  const title = findPlan(replaced.packageId)?.title;
  const name = `${title ? ` ${title}` : ""} sign-up${replaced.company ? ` for ${replaced.company}` : ""}`;
  return destructive(
    "Your earlier sign-up has a card, too",
    `The card of your earlier${name} was set up after you replaced it. To end it, contact support.`,
    { actions: ["support"] },
  );
}

export const COOKIE_MISSING: Notice = {
  kind: "progress",
  title: "Please try again",
  message: "This page’s cookie was missing. It may have expired or been cleared, so we’ve set a new one.",
};
export const COOKIES_BLOCKED = destructive("Cookies are blocked", "Allow cookies for this site, then try again.");

export const ONE_MORE_STEP: Notice = {
  kind: "progress",
  title: "One more step",
  message: "Many sign-ups come from your network. Above the button, confirm you’re not a bot. Then submit again.",
  hint: "Without JavaScript, please wait a minute, enter your password again and submit.",
};

const TERMS_CHANGED = destructive(
  "The price or the trial has changed",
  "Check the new terms. If you agree to them, submit again.",
);

export const PLAN_NOT_AVAILABLE = {
  retired: "This plan is no longer available",
  unknown: "This plan is not available",
};

export function planProblemOf(outcome: FailedOutcome): string | undefined {
  return outcome.kind === "rejected" && outcome.refusesPlan ? PLAN_NOT_AVAILABLE[outcome.refusesPlan] : undefined;
}

export const DUPLICATE = "A subscription with this information already exists.";
export const DUPLICATE_EMAIL = "This email address already has a subscription";

const REJECTIONS: Record<number, Pick<Notice, "message" | "actions">> = {
  400: { message: "Invalid subscription data. Please check your information and try again." },
  401: { message: "Authentication required. Please refresh the page and try again." },
  403: { message: "Access forbidden. Please contact support.", actions: ["support"] },
  404: { message: "Subscription service not found. Please contact support.", actions: ["support"] },
  409: { message: DUPLICATE, actions: ["console", "support"] },
  422: { message: "Invalid subscription information. Please check your details." },
  429: { message: "Too many requests. Please wait a moment and try again." },
  500: { message: "Server error. Please try again later or contact support.", actions: ["support"] },
  503: { message: "Service temporarily unavailable. Please try again later." },
};

const BOT_CHECK_ANSWERED: Notice = {
  ...submissionFailed("A bot check answered in place of our service. You weren’t charged. Please contact support."),
  actions: ["support"],
};

export function noticeFor(outcome: FailedOutcome): Notice {
  switch (outcome.kind) {
    case "rejected":
      return {
        ...submissionFailed(`Server error (${outcome.status}). Please try again later.`),
        ...REJECTIONS[outcome.status],
        ...(outcome.status === 409 && outcome.refusesEmail && { fields: { email: [DUPLICATE_EMAIL] } }),
      };
    case "terms changed":
      return TERMS_CHANGED;
    case "unreachable":
      return CONNECTION_FAILED;
    case "bot check":
      return BOT_CHECK_ANSWERED;
    case "misconfigured":
      return CONFIGURATION_ERROR;
    case "unintelligible":
      return submissionFailed();
  }
}

export function noticeForRefusal(refusal: { status: number; message: string }): Notice {
  return submissionFailed(REJECTIONS[refusal.status]?.message ?? refusal.message);
}

export function withoutPasswords(notice: Notice): Notice {
  return { ...notice, hint: notice.hint ?? "We kept your details but not your password. Enter it again." };
}
