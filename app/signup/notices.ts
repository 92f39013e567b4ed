import type { FieldName } from "./form/form-schema";

/** Wording: docs/requirements.md, M. Those of later steps are in later-notices.ts, which loads with them. */
export interface Notice {
  kind: "progress" | "success" | "destructive";
  title: string;
  message?: string;
  /** What the visitor can do about it, beside trying again. */
  actions?: NoticeAction[];
  /** Messages for the fields that it is about. */
  fields?: Partial<Record<FieldName, string[]>>;
}

export type NoticeAction = "console" | "support" | "sales";

export type SubscriptionOutcome =
  | { kind: "created"; clientSecret: string; statusUrl?: string | undefined }
  | { kind: "rejected"; status: number }
  /** No complete response, or none within the deadline. */
  | { kind: "unreachable"; timedOut: boolean }
  /** A 2xx response without a client_secret. */
  | { kind: "misconfigured" }
  /** A 2xx response that is not JSON or is too long. */
  | { kind: "unintelligible" };

export type FailedOutcome = Exclude<SubscriptionOutcome, { kind: "created" }>;

export const PROCESSING: Notice = {
  kind: "progress",
  title: "Processing...",
  message: "Submitting your subscription information.",
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
  actions: ["support"],
};

export const SESSION_EXPIRED: Notice = {
  kind: "destructive",
  title: "Your sign-up has ended",
  message:
    "It was kept for two hours, and nothing was charged. Your details are still here: enter a password and send them again.",
};
export const SESSION_UNREADABLE: Notice = {
  kind: "destructive",
  title: "Your sign-up could not be opened",
  message:
    "It is too old, or the cookie that keeps it was changed. If your card was set up, we have sent you an email. Otherwise please fill in the form again.",
};
export const SIGNUP_FINISHED: Notice = {
  kind: "destructive",
  title: "This sign-up is finished",
  message: "Its card has been set up already. There is nothing left to do here.",
};
export const SIGNUP_CANCELLED: Notice = {
  kind: "destructive",
  title: "This sign-up was cancelled",
  message: "It cannot be continued, and nothing was charged. Please start again.",
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

/** What goes beyond the message of a status. */
const REMEDIES: Record<number, Pick<Notice, "actions" | "fields">> = {
  403: { actions: ["support"] },
  404: { actions: ["support"] },
  409: {
    actions: ["console", "support"],
    fields: { email: ["There is already a subscription with this email address"] },
  },
  500: { actions: ["support"] },
};

export const UNEXPECTED = "An unexpected error occurred. Please try again.";

export function noticeFor(outcome: FailedOutcome): Notice {
  switch (outcome.kind) {
    case "rejected":
      return {
        ...submissionFailed(REJECTIONS[outcome.status] ?? `Server error (${outcome.status}). Please try again later.`),
        ...REMEDIES[outcome.status],
      };
    case "unreachable":
      return CONNECTION_FAILED;
    case "misconfigured":
      return CONFIGURATION_ERROR;
    case "unintelligible":
      return submissionFailed(UNEXPECTED);
  }
}

export function noticeForRefusal(refusal: { status: number; message: string }): Notice {
  return submissionFailed(REJECTIONS[refusal.status] ?? refusal.message);
}

/** The API's own status where it concerns the visitor's data or load, else 504 for a timeout and 502 for the rest. */
export function statusFor(outcome: FailedOutcome): number {
  if (outcome.kind === "rejected" && [400, 409, 422, 429, 503].includes(outcome.status)) return outcome.status;
  return outcome.kind === "unreachable" && outcome.timedOut ? 504 : 502;
}

export function submissionFailed(message: string = UNEXPECTED): Notice {
  return { kind: "destructive", title: "Submission Failed", message };
}
