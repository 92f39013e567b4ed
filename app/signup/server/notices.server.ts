import { counted } from "../../contract/counted";
import { MAX_FAILED_CARDS, SIGN_UP_HOURS } from "../../contract/trial";
import type { FailedOutcome } from "../create-outcome";
import { CONFIGURATION_ERROR, CONNECTION_FAILED, destructive, type Notice, submissionFailed } from "../notices";

/* The notices that only the server decides on, so that no browser loads their words before they are shown. */

export const CARD_PROCESSING = destructive("Your bank is still processing the card", "Wait a minute, then try again.");

export const SESSION_EXPIRED = destructive(
  "Your sign-up has ended",
  "No card was added in time. You haven't been charged, and you can sign up again.",
);
export const SESSION_UNREADABLE = destructive(
  "Your sign-up could not be opened",
  "It is too old, or its cookie has changed. If your card was set up, we have sent you an email. Otherwise please fill in the form again.",
);
export const SIGNUP_FINISHED = destructive(
  "This sign-up is finished",
  "You've already set up your card. There's nothing left to do.",
);
export const SIGNUP_CANCELED = destructive(
  "This sign-up was canceled",
  `A sign-up ends after ${counted(MAX_FAILED_CARDS, "declined card")}, or after ${counted(SIGN_UP_HOURS, "hour")} without a card. You weren't charged, and no account was created.`,
  {
    hint: "We delete this sign-up's data within a day. To try again, start a new sign-up with another card, or contact sales to pay in another way.",
    actions: ["sales", "support"],
  },
);

export const COOKIES_BLOCKED = destructive("Cookies are blocked", "Allow cookies for this site, then try again.");

/** With Turnstile's widget. */
export const ONE_MORE_STEP: Notice = {
  kind: "progress",
  title: "One more step",
  message: "Many sign-ups come from your network. Confirm you're not a bot above the button, then submit again.",
  hint: "Without JavaScript, please wait a minute, enter your password again and submit.",
};

const PRICE_CHANGED = destructive(
  "The price of this plan has changed",
  "Check the new price. If you agree to it, submit again.",
);

/** Shown in the form's summary and at the choice of plans if the API does not sell the plan. */
export const PLAN_NOT_AVAILABLE = {
  retired: "This plan is no longer available",
  unknown: "This plan is not available",
};
/** Shown after a 422 that does not name the package ID, if the site has no such plan. */
const PLAN_NOT_LISTED = "This plan is not on our price list";

/** The package ID's message in a refused form, which then offers other plans; undefined if the plan is not the reason. */
export function planProblemOf(outcome: FailedOutcome, isListed: boolean): string | undefined {
  if (outcome.kind !== "rejected" || outcome.status !== 422) return undefined;
  if (outcome.refusesPlan) return PLAN_NOT_AVAILABLE[outcome.refusesPlan];
  return isListed ? undefined : PLAN_NOT_LISTED;
}

/** A 409: the notice, and the message at the email address. */
export const DUPLICATE = "A subscription with this information already exists.";
export const DUPLICATE_EMAIL = "This email address already has a subscription";

/** The notice of a refused form, by status. */
const REJECTIONS: Record<number, Pick<Notice, "message" | "actions" | "fields">> = {
  400: { message: "Invalid subscription data. Please check your information and try again." },
  401: { message: "Authentication required. Please refresh the page and try again." },
  403: { message: "Access forbidden. Please contact support.", actions: ["support"] },
  404: { message: "Subscription service not found. Please contact support.", actions: ["support"] },
  409: { message: DUPLICATE, actions: ["console", "support"], fields: { email: [DUPLICATE_EMAIL] } },
  422: { message: "Invalid subscription information. Please check your details." },
  429: { message: "Too many requests. Please wait a moment and try again." },
  500: { message: "Server error. Please try again later or contact support.", actions: ["support"] },
  503: { message: "Service temporarily unavailable. Please try again later." },
};

export function noticeFor(outcome: FailedOutcome): Notice {
  switch (outcome.kind) {
    case "rejected":
      return {
        ...submissionFailed(`Server error (${outcome.status}). Please try again later.`),
        ...REJECTIONS[outcome.status],
      };
    case "price changed":
      return PRICE_CHANGED;
    case "unreachable":
      return CONNECTION_FAILED;
    case "misconfigured":
      return CONFIGURATION_ERROR;
    case "unintelligible":
      return submissionFailed();
  }
}

export function noticeForRefusal(refusal: { status: number; message: string }): Notice {
  return submissionFailed(REJECTIONS[refusal.status]?.message ?? refusal.message);
}

/** The notice above a form that came back without its passwords. */
export function withoutPasswords(notice: Notice): Notice {
  return { ...notice, hint: notice.hint ?? "We kept your details but not your password. Enter it again." };
}
