import type { SubmissionResult } from "@conform-to/react";
import type { Notice } from "./notices";
import type { SignUpIn } from "./sign-up-state";

/* What the loader and the action send to the page. */

export interface FormStepData {
  step: "form";
  packageId: string;
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

export type CardStepData = Omit<SignUpIn<"card">, "state" | "statusUrl"> & {
  step: "card";
  /** Empty if no card can be taken. */
  publishableKey: string;
  stripeJsUrl: string;
  /** Path and query of the page after a card's setup, also by way of the bank. */
  returnPath: string;
  /** End of a trial that starts now, ISO 8601. */
  trialEnd: string;
  /** Missing for a sign-up without details. */
  resumeLink: ResumeLink | undefined;
  /** ISO 3166-1 alpha-2, if the country was recognized. */
  countryCode: string | undefined;
};

/** The card's setup has no result yet; the page checks again every `refreshSeconds`. */
export interface WaitingStepData {
  step: "waiting";
  packageId: string;
  priceCents?: number | undefined;
  reason: "processing" | "unreachable";
  refreshSeconds: number;
}

/** The question that a link leads to. */
export interface ResumeStepData {
  step: "resume";
  /** `busy`: this browser has another sign-up in progress. `ended`: the link has. */
  state: "ready" | "busy" | "ended";
}

export type DoneStepData = Pick<
  SignUpIn<"done">,
  "packageId" | "priceCents" | "card" | "startedAt" | "trialEnd" | "requestId" | "flash" | "details"
> & {
  step: "done";
  /** Undefined where the browser's cookie has another sign-up, or none. */
  key: string | undefined;
};

export type SignupStep = FormStepData | CardStepData | WaitingStepData | ResumeStepData | DoneStepData;

export interface SignupReply {
  /** The posted form, without the passwords. */
  form?: SubmissionResult<string[]>;
  notice?: Notice;
  /** The plan's price now, in US cents: an earlier release's page may have another. */
  priceCents?: number | undefined;
  /** Why the plans are offered in place of the posted one. */
  planProblem?: string | undefined;
  /** A link's sign-up that cannot be continued. */
  isOver?: boolean;
  /** Request ID of a post that the API refused. */
  requestId?: string;
  /** Turnstile's site key: the visitor has to pass it. */
  challenge?: string;
}
