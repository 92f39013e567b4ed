import type { FieldName } from "./form-schema";

/** Wording: section 8 of docs/requirements.md, and the tests named there. */
export interface Notice {
  kind: "progress" | "success" | "destructive";
  title: string;
  message?: string;
  /** Shown after the fixed message. */
  hint?: string | undefined;
  /** Links and buttons, in addition to trying again. */
  actions?: NoticeAction[];
  /** Messages for the fields concerned. */
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
/** A step of the page could not be loaded, so the page keeps its own. */
export const SITE_UNREACHABLE = destructive(
  "Connection Failed",
  "We could not reach the site. Check your connection, then try again.",
);
/** The outcome of a card could not be loaded. The page goes on asking for it. */
export const OUTCOME_UNREACHABLE: Notice = {
  kind: "progress",
  title: "Connection Failed",
  message:
    "We could not reach the site to finish your sign-up. Check your connection and keep this page open: we try again.",
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

export const CARD_USED = destructive(
  "Payment Failed",
  "This card has already been used for a free trial. Use another card, or contact sales.",
  { actions: ["sales"] },
);

export const PROCESSING_CARD: Notice = { kind: "progress", title: PROCESSING.title };
export const PAYMENT_ERROR = destructive("Payment Error", UNEXPECTED);
/** Stripe.js or its fields did not load, maybe because something blocks them. The card's fields offer to try again. */
export const PAYMENT_FORM_NOT_LOADED: Notice = {
  ...PAYMENT_ERROR,
  message:
    "The payment form could not be loaded. Check your connection, turn off any browser extension that blocks Stripe, then try again.",
};

/** A notice of something that went wrong. */
export function destructive(title: string, message: string, more: Partial<Notice> = {}): Notice {
  return { kind: "destructive", title, message, ...more };
}

export function submissionFailed(message: string = UNEXPECTED): Notice {
  return destructive("Submission Failed", message);
}

export function paymentFailed(message: string | undefined, hint?: string): Notice {
  return destructive("Payment Failed", message || "An error occurred during payment", { hint });
}
