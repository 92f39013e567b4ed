import type { SubmissionResult } from "@conform-to/react";
import * as z from "zod/mini";
import type { Notice } from "./notices";

/** A sign-up that the API has accepted. */
const signUp = {
  /** Idempotency key of the form that made the sign-up. */
  key: z.string(),
  /** Of the accepted post; also in the metadata of Stripe's objects. */
  requestId: z.optional(z.string()),
  /** Empty without a plan. */
  packageId: z.string(),
  /** The form's fields without the passwords. Missing after a resume link or a return without the cookie. */
  details: z.optional(z.record(z.string(), z.string())),
  /** Milliseconds since 1970: 24 hours after the form was accepted. */
  expiresAt: z.number(),
};

const pending = {
  ...signUp,
  clientSecret: z.string(),
  /** Reports whether the trial has started; missing if the API offers none. */
  statusUrl: z.optional(z.string()),
  /** Continued through a link. */
  resumed: z.optional(z.literal(true)),
};

const setCard = z.object({ brand: z.string(), last4: z.string() });

/** A browser's newest sign-up, as the cookie keeps it. A `flash` is for one page load. */
export const signupSession = z.discriminatedUnion("state", [
  z.object({
    ...pending,
    state: z.literal("card"),
    flash: z.optional(z.enum(["saved", "card used", "declined"])),
    /** Stripe's words about a declined card. */
    message: z.optional(z.string()),
  }),
  z.object({
    ...pending,
    state: z.literal("waiting"),
    reason: z.enum(["processing", "unreachable"]),
    /** How often Stripe was asked. */
    checks: z.number(),
  }),
  /** `too old`: its card was set up, but nobody tells any more what became of it. */
  z.object({ ...pending, state: z.literal("ended"), why: z.enum(["expired", "canceled", "too old"]) }),
  z.object({
    ...signUp,
    state: z.literal("done"),
    setupIntentId: z.string(),
    /** When the success was seen, as ISO 8601. */
    startedAt: z.string(),
    /** As the API has it, ISO 8601. */
    trialEnd: z.optional(z.string()),
    card: z.optional(setCard),
    flash: z.optional(z.literal("saved")),
  }),
]);

export const pendingSignUp = z.object(pending);

export type SignupSession = z.output<typeof signupSession>;
export type Pending = z.output<typeof pendingSignUp>;
export type SetCard = z.output<typeof setCard>;
type InState<State extends SignupSession["state"]> = Extract<SignupSession, { state: State }>;

export interface FormStepData {
  step: "form";
  packageId: string;
  /** Earlier values, without the passwords. */
  draft?: Record<string, string> | undefined;
  /** The plan of this browser's sign-up that still needs a card; empty without a plan. */
  openPlan?: string;
  /** Why an earlier sign-up has ended. */
  ended?: Notice;
}

export interface ResumeLink {
  url: string;
  /** Undefined if the link is too long for a QR code. */
  qrCodePath: string | undefined;
}

export type CardStepData = Omit<InState<"card">, "state" | "statusUrl"> & {
  step: "card";
  /** Empty if no card can be taken. */
  publishableKey: string;
  stripeJsUrl: string;
  /** Path and query of the page after a card's setup, also by way of the bank. */
  returnPath: string;
  /** End of a trial that starts now, ISO 8601. */
  trialEnd: string;
  /** Missing for a resumed sign-up. */
  resumeLink: ResumeLink | undefined;
  /** ISO 3166-1 alpha-2, if the country was recognized. */
  countryCode: string | undefined;
};

/** The card's setup has no result yet; the page checks again after `refreshSeconds`. */
export interface WaitingStepData {
  step: "waiting";
  packageId: string;
  reason: "processing" | "unreachable";
  refreshSeconds: number;
}

/** The question that a link leads to. */
export interface ResumeStepData {
  step: "resume";
  /** `busy`: this browser has another sign-up in progress. `ended`: the link has; `canceled`: its sign-up. */
  state: "ready" | "busy" | "ended" | "canceled";
}

export type DoneStepData = Pick<InState<"done">, "card" | "startedAt" | "trialEnd" | "requestId" | "flash"> & {
  step: "done";
  packageId: string;
  details: Record<string, string> | undefined;
  /** Undefined where the browser's cookie has another sign-up, or none. */
  key: string | undefined;
};

export type SignupStep = FormStepData | CardStepData | WaitingStepData | ResumeStepData | DoneStepData;

export interface SignupReply {
  /** The posted form, without the passwords. */
  form?: SubmissionResult<string[]>;
  notice?: Notice;
  /** Of the post that the API refused. */
  requestId?: string;
  /** Turnstile's site key: the visitor has to pass it. */
  challenge?: string;
}
