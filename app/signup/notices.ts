/** A message about the sign-up as a whole; the wording is the specification's (sections 4 and 8). */
export interface Notice {
  kind: "progress" | "success" | "destructive";
  title: string;
  message?: string;
}

/** What became of a call to the subscription API. */
export type SubscriptionOutcome =
  | { kind: "created"; clientSecret: string }
  /** Answered with a status other than 2xx. */
  | { kind: "rejected"; status: number }
  /** No whole answer: refused, reset, cut off, or not within the deadline. */
  | { kind: "unreachable"; timedOut: boolean }
  /** Accepted, but the answer has no client_secret. */
  | { kind: "misconfigured" }
  /** Accepted, but the answer is no JSON, or too long to read. */
  | { kind: "unintelligible" };

export type FailedOutcome = Exclude<SubscriptionOutcome, { kind: "created" }>;

export const PROCESSING: Notice = {
  kind: "progress",
  title: "Processing...",
  message: "Submitting your subscription information.",
};
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
export const CONNECTION_FAILED: Notice = {
  kind: "destructive",
  title: "Connection Failed",
  message: "Unable to connect to the API server. Please check your connection and try again.",
};
export const CONFIGURATION_ERROR: Notice = {
  kind: "destructive",
  title: "Configuration Error",
  message: "Payment setup failed. Please contact support.",
};

const REJECTIONS: Record<number, string> = {
  400: "Invalid subscription data. Please check your information and try again.",
  401: "Authentication required. Please refresh the page and try again.",
  403: "Access forbidden. Please contact support.",
  404: "Subscription service not found. Please contact support.",
  409: "A subscription with this information already exists.",
  422: "Invalid subscription information. Please check your details.",
  429: "Too many requests. Please wait a moment and try again.",
  500: "Server error. Please try again later or contact support.",
  503: "Service temporarily unavailable. Please try again later.",
};

const UNEXPECTED = "An unexpected error occurred. Please try again.";

/** The catalogue's notice for a sign-up that the API did not accept (specification, section 8). */
export function noticeFor(outcome: FailedOutcome): Notice {
  switch (outcome.kind) {
    case "rejected":
      return submissionFailed(
        REJECTIONS[outcome.status] ?? `Server error (${outcome.status}). Please try again later.`,
      );
    case "unreachable":
      return CONNECTION_FAILED;
    case "misconfigured":
      return CONFIGURATION_ERROR;
    case "unintelligible":
      return submissionFailed(UNEXPECTED);
  }
}

/**
 * The notice for a form that the site itself holds back: the catalogue's words for its status where it has some, else
 * those of the refusal.
 */
export function noticeForRefusal(refusal: { status: number; message: string }): Notice {
  return submissionFailed(REJECTIONS[refusal.status] ?? refusal.message);
}

/**
 * The status of the page that shows the failure: the API's own where it speaks of the visitor's data or of load,
 * 504 for a missed deadline, 502 for everything that is between the site and the API.
 */
export function statusFor(outcome: FailedOutcome): number {
  if (outcome.kind === "rejected" && [400, 409, 422, 429, 503].includes(outcome.status)) return outcome.status;
  return outcome.kind === "unreachable" && outcome.timedOut ? 504 : 502;
}

export function submissionFailed(message: string = UNEXPECTED): Notice {
  return { kind: "destructive", title: "Submission Failed", message };
}

/** A decline or another error of the payment provider, in its words. */
export function paymentFailed(message: string | undefined): Notice {
  return { kind: "destructive", title: "Payment Failed", message: message || "An error occurred during payment" };
}

/** Something went wrong beside the provider's answer. */
export const PAYMENT_ERROR: Notice = { kind: "destructive", title: "Payment Error", message: UNEXPECTED };
