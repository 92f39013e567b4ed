import type { SubmissionResult } from "@conform-to/react";
import type { Notice } from "./notices";
import type { SessionIn } from "./session-state";

/* The data that the loader and the action send to the page. */

export interface FormStepData {
  step: "form";
  packageId: string;
  /** The current monthly price of a plan that is not on the price list, in US cents. Undefined if the API does not say it. */
  currentPriceCents?: number | undefined;
  /** Why the API does not sell the plan. Other plans are offered in its place. */
  planProblem?: string | undefined;
  /** Earlier values, without the passwords. */
  draft?: Record<string, string> | undefined;
  /** The plan of this browser's sign-up that still needs a card; empty without a plan. */
  openPlan?: string | undefined;
  /** Why an earlier sign-up has ended. */
  ended?: Notice | undefined;
}

export interface ResumeLink {
  url: string;
  /** Undefined if the link is too long for a QR code. */
  qrCodePath: string | undefined;
}

export type CardStepData = Omit<SessionIn<"card">, "state" | "statusUrl"> & {
  step: "card";
  /** Empty if no card can be taken. */
  publishableKey: string;
  stripeJsUrl: string;
  /** The path and query of the page after a card's setup, also when the bank returns there. */
  returnPath: string;
  /** End of a trial that starts now, ISO 8601. */
  trialEnd: string;
  /** Missing for a sign-up without details. */
  resumeLink: ResumeLink | undefined;
  /** ISO 3166-1 alpha-2, if the country was recognized. */
  countryCode: string | undefined;
};

/** The card's setup has no result yet. The page checks again every `refreshSeconds`. */
export interface WaitingStepData {
  step: "waiting";
  packageId: string;
  agreedPriceCents?: number | undefined;
  reason: "processing" | "unreachable";
  refreshSeconds: number;
}

/** The page that a link opens, which asks before it continues a sign-up. */
export interface ResumeStepData {
  step: "resume";
  /** `busy`: this browser has another sign-up in progress. `expired`: the link has expired. */
  state: "ready" | "busy" | "expired";
}

export type DoneStepData = Pick<
  SessionIn<"done">,
  "packageId" | "agreedPriceCents" | "card" | "startedAt" | "trialEnd" | "requestId" | "flash" | "details"
> & {
  step: "done";
  /** Missing if the browser's cookie has another sign-up or none. */
  key?: string;
};

export type SignupStep = FormStepData | CardStepData | WaitingStepData | ResumeStepData | DoneStepData;

export interface SignupReply {
  /** The posted form, without the passwords. */
  form?: SubmissionResult<string[]>;
  notice?: Notice;
  /** The posted plan's current price in US cents, because the page may have shown another one. */
  currentPriceCents?: number | undefined;
  /** The message for the posted package ID. Other plans are offered in its place. */
  planProblem?: string | undefined;
  /** True if a link's sign-up cannot be continued. */
  isOver?: boolean;
  /** The request ID of a post that the API refused or did not get. */
  requestId?: string;
  /** Turnstile's site key, set if the visitor has to pass Turnstile. */
  challenge?: string;
}
