import type { SubmissionResult } from "@conform-to/react";
import type { SomeTerms, Terms } from "../contract/terms";
import type { Notice } from "./notices";
import type { SessionIn } from "./session-state";

export interface FormStepData {
  step: "form";
  packageId: string;
  /** The current monthly price of a plan that is not on the price list, in US cents. Undefined if the API does not say it. */
  currentPriceCents?: number | undefined;
  planProblem?: string | undefined;
  /** Earlier values, without the passwords. */
  draft?: Record<string, string> | undefined;
  /** The plan of this browser's sign-up that still needs a card; empty without a plan. */
  openPlan?: string | undefined;
  ended?: Notice | undefined;
}

export interface ResumeLink {
  url: string;
  /** Undefined if the link is too long for a QR code. */
  qrCodePath: string | undefined;
}

export type CardStepData = Omit<SessionIn<"card">, "state" | "statusUrl" | "replaced"> & {
  step: "card";
  earlier?: Notice | undefined;
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

export interface WaitingStepData {
  step: "waiting";
  packageId: string;
  terms: Terms;
  reason: "processing" | "unreachable";
  refreshSeconds: number;
}

export interface ResumeStepData {
  step: "resume";
  /** `busy`: this browser has another sign-up in progress. `expired`: the link has expired. */
  state: "ready" | "busy" | "expired";
  currentPath?: string;
}

export type DoneStepData = Pick<
  SessionIn<"done">,
  "packageId" | "terms" | "card" | "startedAt" | "trialEnd" | "requestId" | "flash" | "details"
> & {
  step: "done";
  earlier?: Notice | undefined;
  /** Missing if the browser's cookie has another sign-up or none. */
  key?: string;
};

export type SignupStep = FormStepData | CardStepData | WaitingStepData | ResumeStepData | DoneStepData;

export interface SignupReply {
  /** The posted form, without the passwords. */
  form?: SubmissionResult<string[]>;
  notice?: Notice;
  shownTerms?: SomeTerms;
  /** The posted plan's current terms, because the page may have shown others. */
  currentTerms?: Terms;
  planProblem?: string | undefined;
  /** True if the link's sign-up, or the browser's own beside the form, cannot be continued. */
  isOver?: boolean;
  isCookieSet?: boolean;
  /** The request ID of a post that the API refused or did not get. */
  requestId?: string;
  challenge?: string;
}
