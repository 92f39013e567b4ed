import type { ApiPromise } from "../contract/api-promises";
import type { FieldName } from "./form-schema";

/** Wording: section 8 of docs/requirements.md, and the tests named there. */
export interface Notice {
  kind: "progress" | "success" | "destructive";
  title: string;
  message?: string;
  hint?: string | undefined;
  /** Shown before the hint if the API does what it says. */
  promised?: { by: ApiPromise; text: string } | undefined;
  actions?: NoticeAction[];
  /** True if the card's fields have said the message, so that the focused notice does not say it again. */
  isSaidAtCard?: boolean;
  fields?: Partial<Record<FieldName, string[]>>;
}

export type NoticeAction = "console" | "support" | "sales";

const UNEXPECTED = "An unexpected error occurred. Please try again.";

export const PROCESSING: Notice = {
  kind: "progress",
  title: "Processing...",
  message: "Submitting your subscription information.",
};
export const CONNECTION_FAILED = destructive(
  "Connection Failed",
  "Unable to connect to the API server. Please check your connection and try again.",
);
export const SITE_UNREACHABLE = destructive(
  "Connection Failed",
  "We could not reach the site. Check your connection, then try again.",
);
export const OUTCOME_UNREACHABLE: Notice = {
  kind: "progress",
  title: "Connection Failed",
  message:
    "We could not reach the site to finish your sign-up. Check your connection and keep this page open: we’ll keep trying.",
};
export const CARD_SAVED_BUT_UNREACHABLE: Notice = { ...OUTCOME_UNREACHABLE, title: "Your card was saved" };
export const CONFIGURATION_ERROR = destructive("Configuration Error", "Payment setup failed. Please contact support.", {
  actions: ["support"],
});

export const SAVED: Notice = {
  kind: "success",
  title: "Subscription Data Saved!",
  message: "Now proceeding to payment...",
};
export const CARD_SUCCESSFUL: Notice = {
  kind: "success",
  title: "Card Successful!",
  message: "Your card has been processed successfully.",
};
export const SUBSCRIPTION_SUCCESSFUL: Notice = {
  kind: "success",
  title: "subscription Successful!",
  message: "Your subscription has been completed successfully.",
};

/** The query parameter by which the URL of a success without a cookie remembers that both were shown. */
export const NOTICES_SEEN = "seen";

export const CARD_USED = destructive(
  "Payment Failed",
  "This card has already been used for a free trial. Use another card, or contact sales.",
  { actions: ["sales"] },
);

export const PROCESSING_CARD: Notice = { kind: "progress", title: PROCESSING.title };
export const PAYMENT_ERROR = destructive("Payment Error", UNEXPECTED);
export const PAYMENT_FORM_NOT_LOADED: Notice = {
  ...PAYMENT_ERROR,
  message:
    "The payment form could not be loaded. Check your connection, turn off any browser extension that blocks Stripe, then try again.",
};

export function destructive(title: string, message: string, more: Partial<Notice> = {}): Notice {
  return { kind: "destructive", title, message, ...more };
}

export function submissionFailed(message: string = UNEXPECTED): Notice {
  return destructive("Submission Failed", message);
}

/** @param limit how many cards the API still allows */
export function paymentFailed(message: string | undefined, limit?: string, isSaidAtCard = false): Notice {
  const promised = limit === undefined ? undefined : { by: "ends-sign-ups" as const, text: limit };
  return destructive("Payment Failed", message || "An error occurred during payment", { promised, isSaidAtCard });
}
